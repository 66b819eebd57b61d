"""The spatial referential game: environment, recordings and the analysis of the language in them."""

__version__ = "0.1.0"


def _register_environments() -> None:
    """Enter the environments in PettingZoo's registries, where this version of it has them (1.27 does)."""
    try:
        from pettingzoo import aec_registry, parallel_registry, register
    except ImportError:
        return
    for name in ("referential", "referential_symbol"):
        for kind, registry, constructor in (
            ("aec", aec_registry, "env"),
            ("parallel", parallel_registry, "parallel_env"),
        ):
            if f"spatial_game/{name}-v0" not in registry:
                register(kind, f"spatial_game/{name}-v0", f"spatial_game.{name}_v0:{constructor}")


def _register_roles() -> None:
    """Enter the environments of one role in Gymnasium's registry."""
    import gymnasium

    for role in ("Sender", "SenderSymbol", "Receiver"):
        if f"spatial_game/{role}-v0" not in gymnasium.registry:
            gymnasium.register(
                f"spatial_game/{role}-v0",
                entry_point=f"spatial_game.roles:{role}Env",
                vector_entry_point=f"spatial_game.roles:{role}VectorEnv",
            )


_register_environments()
_register_roles()
