"""Alternative text of pictures that a person wrote, not a program."""

from __future__ import annotations

import re
from typing import Final

from cormorant.extract.sanitize import MAX_VALUE

_NAME: Final = re.compile(
    r"(?:(?:picture|image|photo|graphic|clip ?art|icon|object|chart|diagram|table|shape|rectangle|oval|line|text ?box"
    r"|group|bild|grafik|objekt|diagramm|tabelle|rechteck|textfeld|gruppe|form|image|graphique|imagen|gráfico|immagine"
    r"|grafico|imagem|afbeelding|obraz|obrázek|kép|bilde|billede|kuva|рисунок|изображение|图片|図|그림)"
    r"[ _-]?\d{0,9}(?:[ _-]\d{1,9})?)|(?:grafik|inhaltsplatzhalter|content placeholder|placeholder) \d+",
    re.IGNORECASE,
)
_FILE: Final = re.compile(
    r"[^\n]*\.(?:bmp|emf|eps|gif|heic|jfif|jpe?g|pct|pdf|pict|png|svg|tiff?|webp|wmf)(?:\?\S*|@\S*)?", re.IGNORECASE
)
# Endings of Office's own descriptions of pictures ("A picture containing outdoor, tree") in several languages.
_BY_PROGRAM: Final = re.compile(
    r"(?:description (?:automatically generated|générée automatiquement)|automatisch generierte beschreibung"
    r"|descripción generada automáticamente|descrizione generata automaticamente|descrição gerada automaticamente"
    r"|automatisch gegenereerde beschrijving|automatycznie generowany opis|automaticky generovaný popis"
    r"|automatiskt genererad beskrivning|automatisk generere?t beskrivelse|automatikusan generált leírás"
    r"|автоматически созданное описание|自動的に生成された説明|描述已自动生成|说明已自动生成"
    r"|(?:with|mit) (?:very |sehr )?(?:high|medium|low|hoher|mittlerer|geringer) (?:confidence|zuverlässigkeit)"
    r"|ai-generated content may be incorrect|ki-generierte inhalte können fehlerhaft sein"
    r"|contenu généré par l.ia peut être incorrect|contenido generado por ia puede ser incorrecto"
    r"|contenuto generato dall.ia potrebbe non essere corretto)\.?\Z",
    re.IGNORECASE,
)


def human_text(text: str) -> str:
    """Return an alternative text, "" if a program made it: `Picture 1`, a file name, a guess at the contents."""
    text = text[:MAX_VALUE].strip()
    if not text or _NAME.fullmatch(text) or _FILE.fullmatch(text) or _BY_PROGRAM.search(text):
        return ""
    return text
