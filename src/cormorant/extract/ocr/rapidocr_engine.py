"""RapidOCR: the models of PaddleOCR (PP-OCRv6, small) in ONNX Runtime, as they lie in its wheel.

Nothing is fetched: the models are named by their paths, and one that is missing is an error. ONNX Runtime from 1.29 on
sends telemetry unless ORT_DISABLE_TELEMETRY says otherwise before it is loaded; it does here, and the extra names older
versions. Pages are made smaller than 1600 pixels and lines recognised one by one, which takes 450 MB instead of 900 and
loses nothing that could be measured. The classifier of upside-down lines is off: it turns one upright line in ten.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any, Final

from cormorant.extract.ocr.engine_interface import EngineMissing, GreyPicture, RecognitionFailed
from cormorant.extract.sanitize import one_line

_NO_TELEMETRY: Final = ("ORT_DISABLE_TELEMETRY", "ORT_TELEMETRY_DISABLED")
_INSTALL: Final = "RapidOCR is not installed: pip install 'cormorant[ocr]'."
_MAX_SIDE: Final = 1600
"""Pixels of a picture's longer side."""
_SAME_LINE: Final = 0.5
"""The part of its height by which a box has to overlap another to stand in the same line."""


class RapidOcrEngine:
    """A loaded RapidOCR."""

    def __init__(self) -> None:
        """Load library and models. Raises EngineMissing."""
        os.environ.update(dict.fromkeys(_NO_TELEMETRY, "1"))
        try:
            import cv2  # noqa: PLC0415 - an extra, and slow to load
            import numpy  # noqa: PLC0415
            import rapidocr  # noqa: PLC0415
            from rapidocr.inference_engine.onnxruntime.main import ONNXRuntimeError  # noqa: PLC0415
        except ImportError:
            raise EngineMissing(_INSTALL) from None
        cv2.setNumThreads(1)
        self._numpy: Any = numpy
        self._failures: tuple[type[Exception], ...] = (ONNXRuntimeError, cv2.error)
        self._engine: Any = rapidocr.RapidOCR(params=_parameters(Path(rapidocr.__file__).parent / "models"))
        logging.getLogger("RapidOCR").disabled = True
        blank = numpy.full((48, 320, 3), 255, numpy.uint8)
        for detects in (False, True):  # each loads its model with the first picture
            self._engine(blank, use_det=detects)

    def text_of(self, picture: GreyPicture, seconds: float) -> str:
        """Return the text in a picture, a line of it a line. One that was begun is finished: `seconds` do not count.

        Raises RecognitionFailed, mostly for want of memory.
        """
        del seconds
        numpy = self._numpy
        grey = numpy.frombuffer(picture.pixels, numpy.uint8, picture.height * picture.stride)
        grey = grey.reshape(picture.height, picture.stride)[:, : picture.width]
        try:
            found = self._engine(numpy.repeat(grey[:, :, None], 3, axis=2), use_det=True)
        except self._failures as error:
            raise RecognitionFailed(one_line(str(error))) from None
        if found.boxes is None or not found.txts:
            return ""
        boxes = [(float(box[:, 1].min()), float(box[:, 1].max()), float(box[:, 0].min())) for box in found.boxes]
        return "\n".join(_lines(list(zip(boxes, found.txts, strict=True))))


def _parameters(models: Path) -> dict[str, Any]:
    return {
        "Global.log_level": "critical",
        "Global.use_cls": False,
        "Global.max_side_len": _MAX_SIDE,
        "EngineConfig.onnxruntime.intra_op_num_threads": 1,
        "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        "Det.model_path": str(models / "PP-OCRv6_det_small.onnx"),
        "Rec.model_path": str(models / "PP-OCRv6_rec_small.onnx"),
        "Rec.rec_batch_num": 1,
    }


_Box = tuple[float, float, float]
"""Top, bottom and left side of a piece of text, pixels."""


def _lines(pieces: list[tuple[_Box, str]]) -> list[str]:
    """Return the lines that the pieces make, from top to bottom, the pieces of each from left to right."""
    lines: list[list[tuple[_Box, str]]] = []
    for piece in sorted(pieces, key=lambda piece: piece[0][0]):
        if lines and _overlaps(piece[0], lines[-1][-1][0]):
            lines[-1].append(piece)
        else:
            lines.append([piece])
    return [" ".join(text for _, text in sorted(line, key=lambda piece: piece[0][2])) for line in lines]


def _overlaps(box: _Box, other: _Box) -> bool:
    common = min(box[1], other[1]) - max(box[0], other[0])
    return common > _SAME_LINE * min(box[1] - box[0], other[1] - other[0])
