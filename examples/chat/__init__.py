"""A chat with memory in three parts: what was said (`log`), who answers (`answering`), the talk
itself (`talk`). `chatbot.py` puts a terminal before it."""
