"""The task reader: world books for a task (a summary, a memory), and the prompt of the task (spec mvu-filter).

    settings ─▶ runway (default or custom: what is filtered, what is cleaned)
    shelf ─▶ collect ▸ activate ▸ render in passes ▸ buckets ─▶ TaskLore     world.read_world
    profile, context, TaskLore ─▶ blocks ─▶ TaskPrompt ─▶ payload            prompt.build_task_prompt

The two runways share loading and activation and nothing else.
"""
