"""A small scene for a preset: prompts on all sides of the chat, a card, a book, a persona and a note."""

import json


def prompt(name, content, **fields):
    return {"identifier": name, "role": "system", "content": content, "system_prompt": False, **fields}


PROMPTS = [
    prompt("main", "You are {{char}}, and speak to {{user}}."),
    prompt("brief", "Be brief.", injection_position=1, injection_depth=1),
    prompt("last", "Stay {{char}}."),
    prompt("go-on", "Do not repeat it.", injection_trigger=["continue"]),
    prompt("draft", "Plan first."),
]
ORDER = ("main", "worldInfoBefore", "personaDescription", "charDescription", "chatHistory", "brief", "go-on", "last")


def preset(**settings):
    order = [{"identifier": name, "enabled": True} for name in ORDER]
    order.append({"identifier": "draft", "enabled": False})
    return {
        "new_chat_prompt": "[Go]",
        "new_group_chat_prompt": "[Go, {{group}}]",
        "group_nudge_prompt": "[Now {{char}}]",
        "continue_nudge_prompt": "[Go on]",
        "impersonation_prompt": "[Speak as {{user}}]",
        "openai_max_context": 4000,
        "openai_max_tokens": 300,
        "prompts": PROMPTS,
        "prompt_order": [{"character_id": 100001, "order": order}],
        **settings,
    }


def card(name, **data):
    return {"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": name, **data}}


ARIA = card("Aria", description="Aria sings.")
BELA = card("Bela", description="Bela drums.")
DRAGON = {"key": ["dragon"], "content": "The dragon sleeps."}
SAID = [
    {"name": "Aria", "is_user": False, "mes": "Hello."},
    {"name": "Max", "is_user": True, "mes": "Where is the dragon?"},
    {"name": "Aria", "is_user": False, "mes": "Under the hill."},
    {"name": "Max", "is_user": True, "mes": "Let us go."},
]
NOTE = {"note_prompt": "Keep it light.", "note_interval": 1, "note_position": 1, "note_depth": 0, "note_role": 0}


class Scene:
    """Writes the files of a scene and runs commands over them."""

    def __init__(self, shop):
        self.shop = shop
        self.aria = shop.write("aria.json", ARIA)
        self.bela = shop.write("bela.json", BELA)

    def chat(self, said=SAID, **metadata):
        header = {"user_name": "Max", "character_name": "Aria", "chat_metadata": metadata}
        return self.shop.write("chat.jsonl", "\n".join(map(json.dumps, [header, *said])) + "\n")

    def words(self, said=SAID, *, settings=None, note=None):
        """The options that name preset, card, book and chat."""
        chosen = self.shop.write("preset.json", preset(**(settings or {})))
        book = self.shop.book(DRAGON)
        return ["--preset", chosen, "--card", self.aria, "--book", book, "--chat", self.chat(said, **(note or {}))]

    def answer(self, *words):
        return self.shop.json("weave", *words)


def sent(answer):
    """The messages of an answer as role and content."""
    return [(message["role"], message["content"]) for message in answer["messages"]]
