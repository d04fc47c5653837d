# SPDX-License-Identifier: Apache-2.0
"""Group E: LoopStatus, Shuffle, Volume, Rate."""
from checker import NA, check, expect_error, need
from dbusc import DBusError, now


@check("E01", "LoopStatus takes Track, Playlist, None; read back and announced")
def _(c):
    p = c.use()
    c.need_prop("LoopStatus")
    if p.get("LoopStatus") != "None":
        c.loop("None")
    for v in ("Track", "Playlist", "None"):
        m = c.steady(0.2)
        p.set("LoopStatus", "s", v)
        rep = p.b.last_reply
        got = p.wait_get("LoopStatus", lambda x: x == v, 1.5)
        need(got == v, f"{got} after setting {v}")
        r = p.wait(lambda: p.changed_prop(m, "LoopStatus"), 1)
        need(r, f"{v} not announced")
        c.order["Set LoopStatus"] = "before" if r[1] < rep[1] else "after"


def looping(c):
    if "looping" not in c.memo:
        p = c.fresh(c.idx["short"][:2])
        c.loop("Track")
        m = p.mark()
        t, seen = now(), []
        while now() - t < 8.0:
            c.s.bus.pump(0.25)
            seen.append((c.which(), c.pos(), p.get("PlaybackStatus")))
        c.memo["looping"] = (seen, p.seeked(m), [x for x in p.changes(m) if "Metadata" in x[2]])
    return c.memo["looping"]


@check("E03", "LoopStatus Track repeats the track at its end")
def _(c):
    seen = looping(c)[0]
    need(all(s[0] == 0 for s in seen[1:]), f"tracks {sorted({str(s[0]) for s in seen})}")
    need(seen[-1][2] == "Playing", seen[-1][2])
    need(sum(1 for a, b in zip(seen, seen[1:]) if b[1] < a[1] - 1) >= 1, "position never goes back")


@check("E04", "LoopStatus Track: the restart is announced (Seeked or Metadata)", "should")
def _(c):
    seen, sk, md = looping(c)
    need(sk or md, "neither Seeked nor Metadata")
    return f"{len(sk)} Seeked, {len(md)} Metadata"


@check("E05", "LoopStatus Playlist: Next at the last track goes to the first; CanGoNext true")
def _(c):
    files = c.idx["album"][:3]
    p = c.at(files, 2)
    c.loop("Playlist")
    g = p.get("CanGoNext")
    p.call("Next")
    need(c.wait_current(files[0], 3), f"track {c.which()}, {p.get('PlaybackStatus')}")
    need(g, "CanGoNext false")


@check("E06", "LoopStatus Playlist: the list's end leads to the first track")
def _(c):
    files = c.idx["short"][:2]
    p = c.at(files, 1)
    c.loop("Playlist")
    need(c.wait_current(files[0], 6), f"track {c.which()}, {p.get('PlaybackStatus')}")
    v = p.wait_get("PlaybackStatus", lambda v: v == "Playing", 1)
    need(v == "Playing", v)


@check("E07", "LoopStatus Track and Next: what happens", "info")
def _(c):
    p = c.fresh(c.idx["album"][:3])
    c.loop("Track")
    p.call("Next")
    c.s.bus.pump(1.0)
    return f"track {c.which()}, {p.get('PlaybackStatus')}"


@check("E08", "Shuffle true/false: read back and announced")
def _(c):
    p = c.fresh()
    c.need_prop("Shuffle")
    a = p.get("Shuffle")
    for v in (not a, a):
        m = c.steady(0.2)
        p.set("Shuffle", "b", v)
        got = p.wait_get("Shuffle", lambda x: x == v, 1.5)
        need(got == v, f"{got} after setting {v}")
        need(p.wait(lambda: p.changed_prop(m, "Shuffle"), 1), f"{v} not announced")


@check("E09", "Shuffle is false at start and true gives another order than the list's")
def _(c):
    p = c.fresh()
    c.need_prop("Shuffle")
    need(p.get("Shuffle") is False, "true although nothing was shuffled")
    p.set("Shuffle", "b", True)
    c.s.bus.pump(0.3)
    order = [c.which()]
    for _ in range(7):
        a = c.which()
        p.call("Next")
        p.wait_get("Metadata", lambda m: a is None or not c.is_current(c.files[a], m), 1.5)
        c.s.bus.pump(0.1)
        order.append(c.which())
    need(any(b != a + 1 for a, b in zip(order, order[1:]) if a is not None and b is not None),
         f"order {order}")
    return f"order {order}"


@check("E10", "Shuffle: no track twice before the list is through", "should")
def _(c):
    p = c.fresh()
    c.need_prop("Shuffle")
    p.set("Shuffle", "b", True)
    c.s.bus.pump(0.3)
    order = [c.which()]
    for _ in range(9):
        a = c.which()
        p.call("Next")
        p.wait_get("Metadata", lambda m: a is None or not c.is_current(c.files[a], m), 1.0)
        c.s.bus.pump(0.1)
        if p.get("PlaybackStatus") != "Playing":
            break
        order.append(c.which())
    need(len(set(order)) == len(order), f"order {order}")
    return f"order {order}"


@check("E11", "Volume 0.5: read back and announced")
def _(c):
    p = c.use()
    p.set("Volume", "d", 0.9)
    m = c.steady(0.5)
    p.set("Volume", "d", 0.5)
    rep = p.b.last_reply
    got = p.wait_get("Volume", lambda v: abs(v - 0.5) < 0.011, 1.5)
    need(abs(got - 0.5) < 0.011, f"reads {got}")
    r = p.wait(lambda: p.changed_prop(m, "Volume"), 1)
    need(r, "not announced")
    c.order["Set Volume"] = "before" if r[1] < rep[1] else "after"
    p.set("Volume", "d", 1.0)


@check("E13", "Volume 1.5 is taken or clamped to 1.0, nothing else", "should")
def _(c):
    p = c.use()
    try:
        p.set("Volume", "d", 1.5)
    except DBusError:
        pass
    c.s.bus.pump(0.4)
    got = p.get("Volume")
    p.set("Volume", "d", 1.0)
    need(0.99 <= got <= 1.51, f"reads {got}")
    return f"reads {got:g}"


@check("E15", "setting Volume to what it is announces nothing", "info")
def _(c):
    p = c.use()
    p.set("Volume", "d", 0.8)
    m = c.steady(0.5)
    p.set("Volume", "d", p.get("Volume"))
    c.s.bus.pump(0.4)
    r = p.changed_prop(m, "Volume")
    p.set("Volume", "d", 1.0)
    return "announced" if r else "silent"


@check("E17", "Rate outside MinimumRate..MaximumRate is not taken")
def _(c):
    p = c.fresh()
    a = p.getall()
    need("Rate" in a and "MaximumRate" in a, "no Rate")
    lo, hi = a["MinimumRate"].value, a["MaximumRate"].value
    for v in (hi * 2 + 1, lo / 2 if lo > 0 else lo - 1):
        try:
            p.set("Rate", "d", v)
        except DBusError:
            pass
        c.s.bus.pump(0.3)
        r = p.get("Rate")
        need(lo * 0.95 <= r <= hi * 1.05, f"Rate {r} after setting {v} ({lo}..{hi})")


@check("E18", "Rate 1.5: read back, announced, and the position runs so", "should")
def _(c):
    p = c.fresh()
    a = p.getall()
    if "MaximumRate" not in a or a["MaximumRate"].value < 1.5:
        raise NA("only rate 1")
    m = c.steady()
    p.set("Rate", "d", 1.5)
    c.s.bus.pump(0.7)
    need(abs(p.get("Rate") - 1.5) < 0.02, f"reads {p.get('Rate')}")
    need(p.changed_prop(m, "Rate"), "not announced")
    x, t = c.pos(), now()
    c.s.bus.pump(3)
    y = (c.pos() - x) / (now() - t)
    need(abs(y - 1.5) < 0.1, f"runs at {y:.2f}")
    return f"runs at {y:.2f}"


@check("E02", "LoopStatus of no legal word: InvalidArgs, value unchanged")
def _(c):
    p = c.use()
    c.need_prop("LoopStatus")
    a = p.get("LoopStatus")
    for word in ("Foo", "", "none", "PLAYLIST"):
        name = expect_error(lambda: p.set("LoopStatus", "s", word))
        need(name == "org.freedesktop.DBus.Error.InvalidArgs", name)
        need(p.get("LoopStatus") == a, f"{p.get('LoopStatus')} after {word!r}")


@check("E12", "Volume -1 sets 0.0, announced")
def _(c):
    p = c.use()
    p.set("Volume", "d", 0.8)
    m = c.steady(0.4)
    p.set("Volume", "d", -1.0)
    v = p.get("Volume")
    c.s.bus.pump(0.3)
    r = p.changed_prop(m, "Volume")
    p.set("Volume", "d", 1.0)
    need(v == 0, v)
    need(r and r[2].value == 0, f"announced {r}")


@check("E14", "Volume and Rate of NaN or infinity: an error, value unchanged")
def _(c):
    p = c.use()
    for prop in ("Volume", "Rate"):
        a = p.get(prop)
        for x in (float("nan"), float("inf"), float("-inf")):
            name = expect_error(lambda: p.set(prop, "d", x))
            need(name == "org.freedesktop.DBus.Error.InvalidArgs", f"{prop} {x}: {name}")
            need(p.get(prop) == a, f"{prop} {p.get(prop)} after {x}")


@check("E16", "Rate 0 pauses; Rate keeps its value")
def _(c):
    p = c.use()
    a = p.get("Rate")
    p.set("Rate", "d", 0.0)
    v = p.wait_get("PlaybackStatus", lambda v: v == "Paused", 2)
    r = p.get("Rate")
    p.call("Play")
    need(v == "Paused", v)
    need(r == a, f"Rate {r}")


@check("E19", "a Rate out of range is announced as what was taken", "should")
def _(c):
    p = c.fresh()
    hi = p.get("MaximumRate")
    m = c.steady()
    p.set("Rate", "d", hi + 5)
    c.s.bus.pump(0.4)
    r = p.changed_prop(m, "Rate")
    need(r and r[2] is not None and r[2].value == p.get("Rate"), f"announced {r}, reads {p.get('Rate')}")


@check("E20", "Shuffle on and off again: the order of the list is back", "should")
def _(c):
    p = c.fresh()
    c.need_prop("Shuffle")
    p.set("Shuffle", "b", True)
    p.set("Shuffle", "b", False)
    order = [c.which()]
    for _ in range(3):
        a = c.trackid()
        p.call("Next")
        p.wait_get("Metadata", lambda m: m["mpris:trackid"].value != a, 1.5)
        order.append(c.which())
    need(order == [0, 1, 2, 3], order)


@check("E21", "LoopStatus at the last track: the changed CanGoNext comes in the same signal", "should")
def _(c):
    p = c.at(c.idx["album"][:2], 1)
    c.need_prop("LoopStatus")
    m = c.steady(0.6)
    p.set("LoopStatus", "s", "Playlist")
    c.s.bus.pump(0.4)
    told = [x[2] for x in p.changes(m) if "LoopStatus" in x[2]]
    need(told, "LoopStatus not announced")
    need(p.get("CanGoNext") is True, "CanGoNext false with LoopStatus Playlist")
    need("CanGoNext" in told[0], f"announced {sorted(told[0])}")


@check("E22", "Rate keeps its value while paused, over Next and over Stop")
def _(c):
    p = c.fresh()
    if p.get("MaximumRate") < 1.25:
        raise NA("only rate 1")
    p.set("Rate", "d", 1.25)
    for verb in ("Pause", "Next", "Stop", "Play"):
        p.call(verb)
        c.s.bus.pump(0.2)
        need(abs(p.get("Rate") - 1.25) < 0.01, f"Rate {p.get('Rate')} after {verb}")


@check("E23", "Volume keeps its value over Next, Seek and Stop", "should")
def _(c):
    p = c.fresh()
    p.set("Volume", "d", 0.4)
    for args in (("Next",), ("Seek", "x", 5_000_000), ("Stop",), ("Play",)):
        p.call(*args)
        c.s.bus.pump(0.4)
        need(abs(p.get("Volume") - 0.4) < 0.011, f"{p.get('Volume')} after {args[0]}")


@check("E24", "writing the value that holds announces nothing", "should")
def _(c):
    p = c.fresh()
    m = c.steady()
    for prop in ("LoopStatus", "Shuffle", "Volume", "Rate"):
        if c.has(prop):
            v = p.getv(prop)
            p.set(prop, v.signature, v.value)
    c.s.bus.pump(0.4)
    need(not p.changes(m), [sorted(x[2]) for x in p.changes(m)])


@check("E25", "LoopStatus Track: an explicit Next leaves the track", "should")
def _(c):
    p = c.fresh(c.idx["album"][:3])
    c.loop("Track")
    p.call("Next")
    need(c.wait_current(c.files[1], 2), f"track {c.which()}")


@check("E26", "LoopStatus Playlist: Previous at the first track goes to the last", "should")
def _(c):
    p = c.fresh(c.idx["album"][:3])
    c.loop("Playlist")
    need(p.get("CanGoPrevious"), "CanGoPrevious false")
    p.call("Previous")
    need(c.wait_current(c.files[2], 2), f"track {c.which()}")
