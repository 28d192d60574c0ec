"""A folder of pages in forty languages: each is found by its own word, and none stands in the way of another."""

from __future__ import annotations

from pathlib import Path

from tests.journeys.crawling import Crawler
from tests.journeys.home import Home

LIGHTHOUSES = {
    "af": "vuurtoring", "ar": "منارة", "az": "mayak", "be": "маяковы", "bg": "морскифар", "bn": "বাতিঘর",
    "ca": "farola", "cs": "majakem", "cy": "goleudy", "da": "fyrtårn", "de": "Leuchtturm", "el": "φάρος",
    "en": "lighthouse", "eo": "lumturo", "es": "faroluz", "et": "tuletorn", "eu": "itsasargi", "fa": "فانوس",
    "fi": "majakka", "fr": "phare", "ga": "teachsolais", "he": "מגדלור", "hi": "प्रकाशस्तंभ", "hr": "svjetionik",
    "hu": "világítótorony", "hy": "փարոս", "id": "mercusuar", "it": "fanale", "ja": "灯台", "ka": "შუქურა",
    "ko": "등대", "lt": "švyturys", "lv": "bāka", "nl": "kustlicht", "no": "fyrstasjon", "pl": "latarnia",
    "pt": "farolim", "ro": "farulmare", "ru": "маяк", "sk": "svetlomet", "sl": "pomorskiluc", "sr": "светионик",
    "st": "seboneseleoatle", "sv": "fyrbåk", "ta": "கலங்கரை", "th": "ประภาคาร", "tr": "denizfeneri", "uk": "маякова",
    "vi": "đènbiển", "yi": "ליכטטורעם", "zh": "燈塔", "x-own": "qwghlm", "": "nowhere",
}  # fmt: skip


def test_forty_languages_in_one_index(file_home: Home, crawls: Crawler, tmp_path: Path) -> None:
    folder = tmp_path / "coast"
    folder.mkdir()
    for tag, word in LIGHTHOUSES.items():
        (folder / f"page-{tag}.html").write_text(
            f'<html lang="{tag}"><title>{tag}</title><p>{word}</p></html>', "utf-8"
        )
    file_home.add_source("files", "coast", {"path": str(folder)})
    assert len(LIGHTHOUSES) >= 40
    assert crawls.crawl(file_home, "coast")["new"] == len(LIGHTHOUSES)
    found = file_home.found(*LIGHTHOUSES.values())
    expected = [[f"page-{tag}.html"] for tag in LIGHTHOUSES]
    assert [[url.rpartition("/")[2] for url in urls] for urls in found] == expected
