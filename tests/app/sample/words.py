"""What stands in the office documents and the PDFs of the sample."""

from __future__ import annotations

GUIDE = (
    (
        "Skarvholm: a guide for visitors",
        "Two pages to put into your pocket.",
        "",
        "The ferry Tordmule goes on Mondays, Wednesdays and Fridays, and from May to September on Sundays.",
        "The crossing takes ninety minutes. Above force eight she stays in harbour.",
        "",
        "Stay on the path. The turf above the landing is hollow: puffins live in it.",
        "Stay on the boards at the south point. The terns mean it.",
        "Dogs on a lead, children by the hand, drones at home.",
        "",
        "Drinking water: the pump behind the schoolhouse. The one in the harbour is for boats.",
    ),
    (
        "A walk round the island",
        "From the north mole past the west cliff (cormorants, kittiwakes) to the lighthouse: forty minutes.",
        "From the lighthouse to the south point (Arctic terns, closed in July): twenty minutes.",
        "Back by the boulder beach, where storm petrels purr under the stones at night: half an hour.",
        "",
        "A bench stands where the view is best. It was given by a visitor who missed three ferries.",
    ),
)

BOAT_SAFETY = (
    (
        "Boat safety on Skarvholm",
        "For everybody who takes the dinghy out, even only to the yellow buoys.",
        "",
        "Before casting off: life jacket on and closed. Kill cord round the leg. Radio on channel 12.",
        "Tell the warden where you go and when you will be back. Write it on the slate by the boat shed.",
        "Not alone, not above force five, not in fog, not after the second glass.",
        "",
        "If you fall in: float first. Cold water takes the breath for one minute; it comes back.",
        "Hold on to the boat. It is easier to find than you are.",
        "If somebody else falls in: throw, tow, and only then go.",
    ),
    (
        "Signals",
        "Six blasts in a minute, then a minute of silence: help is needed.",
        "Three blasts in a minute: heard, coming.",
        "One blast of five seconds every ninety seconds: that is the foghorn. Carry on.",
    ),
)

HANDBOOK = (
    "# Handbook for volunteers",
    "You have come for four weeks. This is what everybody asks in the first one.",
    "# The day",
    "The nets are opened an hour before sunrise. Breakfast is when the first round has been measured, the daily log is "
    "written at nine in the evening, and everybody is there: what has not been said in the log has not been seen.",
    "# The house",
    "Boots stay in the porch. The stove is fed by whoever is coldest. The generator runs from six to ten; charge what "
    "you have.",
    "# Counting",
    "Count in tens, write in pencil, and never ask your neighbour what he got before you have written down what you "
    "got. Two counts that differ by less than five in a hundred are averaged, others are done again.",
    "# If you find a ringed bird",
    "Read the number twice, photograph the ring, and leave the bird where it is. A wreck of auks after a storm is "
    "reported by telephone, not by gathering them up.",
    "# Leaving",
    "Strip your bed, sign the log, and take one bag of rubbish with you on the ferry.",
)

BUDGET = (
    ("Item", "Budget 2026", "Spent by June", "Remark"),
    ("Roof of the schoolhouse", 184000, 171500, "slates came by ferry, twice"),
    ("Rings and nets", 21500, 9800, "12,000 rings ordered"),
    ("Diesel for the generator", 38000, 20100, ""),
    ("Lens, new bearing", 64000, 0, "waiting for a calm week"),
    ("Food for volunteers", 52000, 24700, "raisins not included"),
    ("Hats", 900, 1350, "lost to terns"),
    ("Total", 360400, 227450, ""),
)

MEETING = (
    (
        "Annual meeting of the friends of Skarvholm",
        "Saturday, 17 October, in the library",
        "Please keep the lamp low: petrels",
    ),
    (
        "The year in four numbers",
        "412 pairs of cormorants",
        "11,870 birds ringed",
        "1.3 chicks to a nest of terns",
        "9 ferries missed",
    ),
    ("What we want to do next", "A new bearing for the lens", "Loggers for twenty storm petrels", "A second tree"),
)
