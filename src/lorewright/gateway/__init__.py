"""The HTTP server between a client and a model: any client of the OpenAI or Anthropic API, one base URL.

`app.py` is the way of a request: `safety` lets it in, `body` finds the model's name in it, `routing` chooses the
upstream, a `Weaver` may change it, `forward` sends it and passes the reply on as it comes.
"""
