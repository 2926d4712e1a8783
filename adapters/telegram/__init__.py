"""Telegram: private chats, groups and topics as places where books are talked about."""
