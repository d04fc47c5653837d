# SPDX-License-Identifier: Apache-2.0
"""Group D: Play, Pause, Stop, Next, Previous, and what is announced."""
from checker import Fail, check, need, short, stops
from dbusc import PATH, PLAYER, Variant, now


def pause(c):
    c.p.call("Pause")
    v = c.p.wait_get("PlaybackStatus", lambda v: v == "Paused", 2)
    need(v == "Paused", f"setup: status {v} after Pause")


@check("D01", "Pause while playing: Paused, announced")
def _(c):
    p = c.use()
    m = c.steady()
    p.call("Pause")
    rep = p.b.last_reply
    r = p.wait(lambda: p.changed_prop(m, "PlaybackStatus"), 2)
    v = p.get("PlaybackStatus")
    need(v == "Paused", f"status {v}")
    need(r, "no PropertiesChanged with PlaybackStatus")
    c.order["Pause"] = "before" if r[1] < rep[1] else "after"
    need(r[2] is None or r[2].value == "Paused", f"signal says {r[2]}")


@check("D02", "Play while paused: Playing, announced")
def _(c):
    p = c.use()
    pause(c)
    m = c.steady()
    p.call("Play")
    rep = p.b.last_reply
    r = p.wait(lambda: p.changed_prop(m, "PlaybackStatus"), 2)
    v = p.wait_get("PlaybackStatus", lambda v: v == "Playing", 1)
    need(v == "Playing", f"status {v}")
    need(r, "no PropertiesChanged with PlaybackStatus")
    c.order["Play"] = "before" if r[1] < rep[1] else "after"


@check("D03", "Pause while paused changes nothing")
def _(c):
    p = c.use()
    pause(c)
    m, a = c.steady(), p.get("Position")
    p.call("Pause")
    c.s.bus.pump(0.6)
    need(p.get("PlaybackStatus") == "Paused", p.get("PlaybackStatus"))
    need(abs(p.get("Position") - a) < 5e4, "position moved")
    need(not p.changed_prop(m, "PlaybackStatus"), "PlaybackStatus announced again")
    p.call("Play")


@check("D05", "PlayPause toggles both ways")
def _(c):
    p = c.use()
    for want in ("Paused", "Playing", "Paused", "Playing"):
        p.call("PlayPause")
        v = p.wait_get("PlaybackStatus", lambda v: v == want, 2)
        need(v == want, f"{v} instead of {want}")
        c.s.bus.pump(0.2)


@check("D06", "Position stands still while paused")
def _(c):
    p = c.use()
    pause(c)
    c.s.bus.pump(0.3)
    a = p.get("Position")
    c.s.bus.pump(1.0)
    b = p.get("Position")
    p.call("Play")
    need(abs(a - b) < 2e4, f"{a} -> {b}")


@check("D07", "Position keeps within 100 ms of the wall clock over 4 s")
def _(c):
    p = c.fresh()
    c.s.bus.pump(1.0)
    off = []
    for _ in range(40):
        c.s.bus.pump(0.1)
        a = now()
        v = p.get("Position")
        off.append(v / 1e6 - (a + now()) / 2)
    mid = sorted(off)[len(off) // 2]          # the constant offset is the start time
    worst = max(abs(x - mid) for x in off)
    need(worst <= 0.1, f"worst deviation {worst * 1000:.0f} ms")
    return f"worst deviation {worst * 1000:.0f} ms"


@check("D08", "no Seeked during ordinary progress (4 s)")
def _(c):
    p = c.use()
    m = c.steady(0.5)
    c.s.bus.pump(4)
    need(not p.seeked(m), f"{len(p.seeked(m))} Seeked")


@check("D09", "no PropertiesChanged during ordinary progress (4 s)", "should")
def _(c):
    p = c.use()
    m = c.steady(0.5)
    c.s.bus.pump(4)
    ch = p.changes(m)
    need(not ch, f"{len(ch)}: " + short([list(x[2]) + list(x[3]) for x in ch]))


@check("D10", "Stop: Stopped, announced")
def _(c):
    p = c.use()
    m = c.steady()
    p.call("Stop")
    v = p.wait_get("PlaybackStatus", lambda v: v == "Stopped", 2)
    need(v == "Stopped", f"status {v}")
    c.s.bus.pump(0.4)
    need(p.changed_prop(m, "PlaybackStatus"), "not announced")


def stopped(c, seek=True):
    p = c.fresh()
    if seek:
        c.seek_to(12)
    p.call("Stop")
    v = p.wait_get("PlaybackStatus", lambda v: v == "Stopped", 2)
    need(v == "Stopped", f"setup: status {v} after Stop")
    c.s.bus.pump(0.3)
    return p


@check("D12", "Play after Stop begins the track at 0")
def _(c):
    p = stopped(c)
    t = now()
    p.call("Play")
    v = p.wait_get("PlaybackStatus", lambda v: v == "Playing", 3)
    need(v == "Playing", f"status {v}")
    c.s.bus.pump(0.5)
    x = c.pos()
    need(x <= now() - t + 1.1, f"position {x:.2f} s")
    need(c.which() == 0, f"track {c.which()}")


@check("D14", "Next: the next track from 0, Metadata announced")
def _(c):
    p = c.fresh()
    m = c.steady()
    p.call("Next")
    rep = p.b.last_reply
    r = p.wait(lambda: p.changed_prop(m, "Metadata"), 3)
    need(c.wait_current(c.files[1], 3), f"track {c.which()} is current")
    need(r, "Metadata not announced")
    c.order["Next"] = "before" if r[1] < rep[1] else "after"
    v = p.wait_get("PlaybackStatus", lambda v: v == "Playing", 2)
    need(v == "Playing", v)
    need(c.pos() < 2.5, f"position {c.pos():.2f}")
    c.s.bus.pump(0.5)
    last = [x[2]["Metadata"] for x in p.changes(m) if "Metadata" in x[2]]
    if last:
        need(c.is_current(c.files[1], last[-1].value), "last signal shows another track")


@check("D15", "Previous (at the start of track 2): back to track 1")
def _(c):
    p = c.at(c.idx["album"], 1)
    c.s.bus.pump(0.3)
    p.call("Previous")
    need(c.wait_current(c.files[0], 3), f"track {c.which()}")


@check("D17", "Next at the last track, LoopStatus None: stops (or no effect with CanGoNext false)")
def _(c):
    files = c.idx["album"][:3]
    p = c.at(files, 2)
    if c.has("LoopStatus"):
        c.loop("None")
    g = p.get("CanGoNext")
    p.call("Next")
    v = stops(c, 2)
    w = c.which() if v != "Stopped" else None
    need(v == "Stopped" or (w == 2 and not g), f"status {v}, track {w}, CanGoNext was {g}")
    return f"status {v}, CanGoNext was {g}"


@check("D18", "CanGoNext is false at the last track, CanGoPrevious true (loop and shuffle off)", "should")
def _(c):
    files = c.idx["album"][:3]
    p = c.at(files, 2)
    if c.has("LoopStatus"):
        c.loop("None")
    c.s.bus.pump(0.4)
    n, b = p.get("CanGoNext"), p.get("CanGoPrevious")
    need(not n and b, f"CanGoNext {n}, CanGoPrevious {b}")


@check("D19", "CanGoPrevious at the first track agrees with what Previous does", "info")
def _(c):
    p = c.fresh(c.idx["album"][:3])
    c.seek_to(10)
    g = p.get("CanGoPrevious")
    p.call("Previous")
    c.s.bus.pump(1.0)
    return f"CanGoPrevious {g}; then track {c.which()}, {p.get('PlaybackStatus')}, {c.pos():.1f} s"


def natural(c):
    """Three 3 s tracks played to their end; what was seen, kept."""
    if "natural" not in c.memo:
        p = c.fresh(c.idx["short"])
        if c.has("LoopStatus"):
            try:
                c.loop("None")
            except Fail:
                pass
        m = 0
        v = stops(c, 16)
        sigs = [[i for i, f in enumerate(c.files) if c.is_current(f, x[2]["Metadata"].value)]
                for x in p.changes(m) if "Metadata" in x[2]]
        c.memo["natural"] = (v, sigs, p.get("PlaybackStatus"), p.changed_prop(m, "PlaybackStatus"),
                             c.meta(), [x[2]["PlaybackStatus"].value for x in p.changes(m)
                                        if "PlaybackStatus" in x[2]], p.alive())
    return c.memo["natural"]


@check("D20", "a track that ends: the next begins, Metadata announced")
def _(c):
    sigs = natural(c)[1]
    need([1] in sigs and [2] in sigs, f"announced: {sigs}")


@check("D21", "the list's end, LoopStatus None: Stopped, announced")
def _(c):
    v, _, _, _, _, st, alive = natural(c)
    need(alive, "the player is gone")
    need(v == "Stopped", f"status {v} after the end")
    need(st and st[-1] == "Stopped", f"announced: {st}")


def exact(c, act, settle=1.0):
    """GetAll, act, signals, GetAll: (superfluous, missing, wrong)."""
    p = c.p
    c.s.bus.pump(0.5)
    before = p.getall()
    m = p.mark()
    act()
    c.s.bus.pump(settle)
    after = p.getall()
    told, extra, inval = {}, set(), set()
    prev = {k: v.value for k, v in before.items()}
    for _, _, ch, inv in p.changes(m):
        for k, v in ch.items():
            if k in prev and plain(prev[k]) == plain(v.value):
                extra.add(k)
            prev[k] = v.value
            told[k] = v
        inval |= set(inv)
    missing = [k for k in after if k not in ("Position",) and k not in inval and
               plain(after[k].value) != plain(before[k].value if k in before else None)
               and k not in told]
    wrong = [k for k, v in told.items() if k in after and k != "Position" and
             plain(v.value) != plain(after[k].value)]
    return extra, missing, wrong, len(p.changes(m))


def plain(v):
    if isinstance(v, Variant):
        return (v.signature, plain(v.value))
    if isinstance(v, dict):
        return {k: plain(x) for k, x in v.items()}
    return v


@check("D22", "Pause/Play: everything that changed is announced, with the value Get gives")
def _(c):
    p = c.use()
    _, miss, wrong, n = exact(c, lambda: p.call("Pause"))
    _, miss2, wrong2, n2 = exact(c, lambda: p.call("Play"))
    need(not (miss or wrong or miss2 or wrong2),
         f"not told {miss + miss2}, told wrong {wrong + wrong2}")
    return f"{n}+{n2} signals"


@check("D24", "Next: everything that changed is announced, with the value Get gives")
def _(c):
    p = c.fresh()
    _, miss, wrong, n = exact(c, lambda: p.call("Next"), 2.0)
    need(not (miss or wrong), f"not told {miss}, told wrong {wrong}")
    return f"{n} signals"


@check("D25", "Next: nothing is announced that did not change", "should")
def _(c):
    p = c.fresh()
    e, _, _, n = exact(c, lambda: p.call("Next"), 2.0)
    need(not e, ", ".join(sorted(e)) + f" ({n} signals)")
    return f"{n} signals"


def nothing_told(c, mark, but=()):
    """No PropertiesChanged and no Seeked since the mark."""
    told = [sorted(x[2]) for x in c.p.changes(mark) if set(x[2]) - set(but)]
    need(not told, f"announced {told}")
    need(not c.p.seeked(mark), f"{len(c.p.seeked(mark))} Seeked")


@check("D04", "Play while playing changes nothing")
def _(c):
    p = c.use()
    m, a = c.steady(), p.get("Position")
    p.call("Play")
    c.s.bus.pump(0.6)
    need(p.get("PlaybackStatus") == "Playing", p.get("PlaybackStatus"))
    need(p.get("Position") > a + 400_000, f"position {a} -> {p.get('Position')}")
    nothing_told(c, m)


@check("D11", "Stop while stopped changes nothing")
def _(c):
    p = stopped(c, False)
    m = c.steady()
    p.call("Stop")
    c.s.bus.pump(0.5)
    need(p.get("PlaybackStatus") == "Stopped", p.get("PlaybackStatus"))
    nothing_told(c, m)


@check("D13", "after Stop: Position 0, the track still named, Play still possible", "should")
def _(c):
    p = stopped(c)
    need(p.get("Position") == 0, p.get("Position"))
    need(c.which() == 0, f"track {c.which()}")
    need(p.get("CanPlay"), "CanPlay false")


@check("D16", "Next while paused: the next track at 0, still paused")
def _(c):
    p = c.fresh()
    c.seek_to(8)
    pause(c)
    p.call("Next")
    need(c.wait_current(c.files[1], 3), f"track {c.which()}")
    c.s.bus.pump(0.7)
    need(p.get("PlaybackStatus") == "Paused", p.get("PlaybackStatus"))
    need(p.get("Position") < 20_000, f"position {p.get('Position')}")


@check("D23", "Stop and Play: everything that changed is announced, with the value Get gives")
def _(c):
    p = c.fresh()
    _, miss, wrong, n = exact(c, lambda: p.call("Stop"))
    _, miss2, wrong2, n2 = exact(c, lambda: p.call("Play"))
    need(not (miss or wrong or miss2 or wrong2), f"not told {miss + miss2}, told wrong {wrong + wrong2}")
    return f"{n}+{n2} signals"


@check("D26", "PlayPause while stopped starts")
def _(c):
    p = stopped(c)
    p.call("PlayPause")
    v = p.wait_get("PlaybackStatus", lambda v: v == "Playing", 2)
    need(v == "Playing", v)
    need(c.pos() < 3, f"position {c.pos():.1f}")


@check("D27", "Previous while paused: the track before at 0, still paused")
def _(c):
    p = c.at(c.idx["album"], 1)
    pause(c)
    p.call("Previous")
    need(c.wait_current(c.files[0], 3), f"track {c.which()}")
    c.s.bus.pump(0.7)
    need(p.get("PlaybackStatus") == "Paused", p.get("PlaybackStatus"))
    need(p.get("Position") < 20_000, f"position {p.get('Position')}")


@check("D28", "Play after Pause goes on at the same position, right to 100 ms, without Seeked")
def _(c):
    p = c.use()
    pause(c)
    c.s.bus.pump(0.3)
    a, m = p.get("Position"), p.mark()
    p.call("Play")
    t = now()
    b = p.get("Position")
    need(a - 1000 <= b <= a + 100_000 + (now() - t) * 1e6, f"{a} -> {b}")
    c.s.bus.pump(0.5)
    need(not p.seeked(m), "Seeked")


@check("D29", "Next while stopped: the next track, still stopped")
def _(c):
    p = stopped(c, False)
    p.call("Next")
    need(c.wait_current(c.files[1], 2), f"track {c.which()}")
    c.s.bus.pump(0.5)
    need(p.get("PlaybackStatus") == "Stopped", p.get("PlaybackStatus"))
    need(p.get("Position") == 0, p.get("Position"))


@check("D30", "Pause while stopped changes nothing")
def _(c):
    p = stopped(c, False)
    m = c.steady()
    p.call("Pause")
    c.s.bus.pump(0.5)
    need(p.get("PlaybackStatus") == "Stopped", p.get("PlaybackStatus"))
    nothing_told(c, m)


@check("D31", "CanPlay and CanPause say the same while playing, paused and stopped")
def _(c):
    p = c.fresh()
    seen = []
    for verb, status in ((None, "Playing"), ("Pause", "Paused"), ("Stop", "Stopped")):
        if verb:
            p.call(verb)
        p.wait_get("PlaybackStatus", lambda v: v == status, 2)
        seen.append((p.get("CanPlay"), p.get("CanPause")))
    need(set(seen) == {(True, True)}, f"playing, paused, stopped: {seen}")


@check("D32", "Next is told in one signal: Metadata with the Can\u2026 that changed with it", "should")
def _(c):
    p = c.fresh()
    m = c.steady()
    p.call("Next")
    need(c.wait_current(c.files[1], 3), f"track {c.which()}")
    c.s.bus.pump(0.6)
    told = [sorted(x[2]) for x in p.changes(m)]
    need(len(told) == 1, f"{len(told)}: {told}")
    need({"Metadata", "CanGoPrevious"} <= set(told[0]), told)


@check("D33", "every method is answered within 100 ms at the median, 500 ms at the most", "should")
def _(c):
    p = c.fresh()
    c.loop("Playlist")
    took = []
    for _ in range(5):
        for args in (("Next",), ("Pause",), ("Play",), ("Seek", "x", 1_000_000), ("Previous",), ("PlayPause",),
                     ("Stop",), ("PlayPause",)):
            t = now()
            p.call(*args)
            took.append((now() - t, args[0]))
    took.sort()
    need(took[len(took) // 2][0] < 0.1 and took[-1][0] < 0.5, f"median {took[len(took) // 2]}, worst {took[-1]}")
    return f"median {took[len(took) // 2][0] * 1e3:.1f} ms, worst {took[-1][0] * 1e3:.0f} ms ({took[-1][1]})"


@check("D34", "three Next at once: three tracks on")
def _(c):
    p = c.fresh()
    for serial in [c.s.bus.send(p.name, PATH, PLAYER, "Next") for _ in range(3)]:
        c.s.bus.wait_reply(serial)
    need(c.which() == 3, f"track {c.which()}")
    v = p.wait_get("PlaybackStatus", lambda v: v == "Playing", 2)
    need(v == "Playing", v)


@check("D35", "Next with CanGoNext false, Previous with CanGoPrevious false: no effect and no signal")
def _(c):
    p = c.fresh(c.idx["album"][:1])
    need(not p.get("CanGoNext") and not p.get("CanGoPrevious"), "one track, and CanGoNext or CanGoPrevious is true")
    m, a = c.steady(), p.get("Position")
    p.call("Next")
    p.call("Previous")
    c.s.bus.pump(0.5)
    need(p.get("PlaybackStatus") == "Playing" and p.get("Position") > a, p.get("PlaybackStatus"))
    nothing_told(c, m)


@check("D36", "Next while paused makes no sound")
def _(c):
    p = c.fresh()
    pause(c)
    c.s.bus.pump(0.5)
    raw = f"{c.s.dir}/silence.s16"
    q = c.s.record(raw)
    c.s.bus.pump(0.7)
    p.call("Next")
    c.s.bus.pump(1.2)
    c.s.end(q)
    with open(raw, "rb") as h:
        sound = h.read()
    need(len(sound) > 44100, f"only {len(sound)} bytes recorded")
    loud = sum(1 for x in memoryview(sound[:len(sound) // 2 * 2]).cast("h") if x)
    need(loud == 0, f"{loud} of {len(sound) // 2} samples are not 0")


@check("D37", "the reply of Next is never ahead of what Get says")
def _(c):
    p = c.fresh()
    seen = []
    for i in (1, 2, 3):
        p.call("Next")
        seen.append((c.which(), p.get("PlaybackStatus")))
    need([w for w, _ in seen] == [1, 2, 3], seen)
    need(all(s == "Playing" for _, s in seen), seen)
