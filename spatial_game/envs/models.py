"""`spatial_game.agents.models`, by the name that programs import."""

from spatial_game.agents.models import ModelReceiver, ModelSender

__all__ = ["ModelReceiver", "ModelSender"]
