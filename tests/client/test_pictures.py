"""The pictures of the papers are what the screen looks like."""

from tests.client.pictures import FOLDER, pictures


async def test_the_pictures_are_true() -> None:
    now = await pictures()
    for name, text in now.items():
        path = FOLDER / f"{name}.svg"
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: python3 dev.py make draws it anew"
    assert {p.stem for p in FOLDER.glob("*.svg")} == set(now)
