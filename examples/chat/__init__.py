"""A chat with memory in three parts: the messages (`log`), the model that answers (`answering`) and
the turns of a talk (`talk`). `chatbot.py` runs it in a terminal."""
