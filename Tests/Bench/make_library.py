#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_library.py N DIR [--seed S] [--workers W]

Makes a deterministic synthetic music library of N real audio files below DIR:
each format is encoded once with ffmpeg (1 s of tone), then copied and tagged with
mutagen in parallel. Writes DIR-truth.jsonl: one line a file with the tags that
were written, so that a tag reader can be marked.  Needs: ffmpeg, mutagen.
"""
import sys, os, random, json, subprocess, shutil, argparse, base64, struct
from multiprocessing import Pool

FMT = [("mp3", 42), ("flac", 26), ("ogg", 12), ("opus", 9), ("m4a", 11)]
GENRES = ["Rock", "Jazz", "Classical", "Electronic", "Folk", "Hip-Hop", "Pop", "K-Pop", "J-Pop",
          "Ambient", "Metal", "Soundtrack", "Blues", "Bossa Nova", "Drum & Bass", "Post-Rock"]
W = ("river stone night glass winter copper signal harbor velvet echo paper lantern sleep garden summer "
     "machine silver ocean northern hollow falling bright shadow little golden empty broken distant electric "
     "blue red morning midnight city road mountain letter ghost animal crystal thunder whisper island").split()
KO = "사랑 밤 바다 하늘 별빛 겨울 노래 기억 그대 봄날 비밀 시간 여행 거리 꿈 소녀 나비 바람".split()
JA = "夜 桜 夏 空 海 星 雨 恋 東京 物語 残響 ひまわり さよなら メロディー カノン 光 青い 季節".split()
AC = "Björk Café Señor Über Naïve Ångström Dvořák Żółć Éternité Façade Sigur Rós Motörhead Crème".split()

def words(r, n, lang):
    pool = {"en": W, "ko": KO, "ja": JA, "ac": AC + W}[lang]
    ws = [r.choice(pool) for _ in range(n)]
    return " ".join(w if lang != "en" and lang != "ac" else w.capitalize() for w in ws)

def uuid(r): 
    h = "%032x" % r.getrandbits(128)
    return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-8{h[17:20]}-{h[20:]}"

def bases(tmp):
    os.makedirs(tmp, exist_ok=True)
    def ff(out, *a):
        if not os.path.exists(out):
            subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i",
                            "sine=frequency=440:sample_rate=44100:duration=1", "-ac", "2", "-map_metadata", "-1",
                            "-fflags", "+bitexact", "-flags:a", "+bitexact", *a, out], check=True)
    ff(f"{tmp}/b.mp3", "-c:a", "libmp3lame", "-b:a", "128k", "-id3v2_version", "0")
    ff(f"{tmp}/b.flac", "-c:a", "flac")
    ff(f"{tmp}/b.ogg", "-c:a", "libvorbis", "-q:a", "3")
    ff(f"{tmp}/b.opus", "-c:a", "libopus", "-b:a", "96k", "-ar", "48000")
    ff(f"{tmp}/b.m4a", "-c:a", "aac", "-b:a", "128k")
    ff(f"{tmp}/b.wav", "-c:a", "pcm_s16le")
    for i, (s, q) in enumerate([(300, 6), (500, 5), (800, 4), (1000, 3)]):
        out = f"{tmp}/c{i}.jpg"
        if not os.path.exists(out):
            subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i",
                            f"mandelbrot=size={s}x{s}:start_scale={2+i}", "-frames:v", "1", "-q:v", str(q), out], check=True)

def plan(n, seed):
    r = random.Random(seed)
    nart = max(20, n // 28); artists = []
    for i in range(nart):
        lang = r.choices(["en", "ko", "ja", "ac"], [70, 10, 10, 10])[0]
        artists.append((words(r, r.randint(1, 3), lang) + ("" if i % 3 else f" {i}"), lang, uuid(r)))
    out = []; ai = 0
    while len(out) < n:
        ai += 1
        name, lang, amb = r.choice(artists)
        comp = r.random() < .08
        discs = r.choices([1, 2, 3], [85, 12, 3])[0]
        fmt = r.choices([f for f, _ in FMT], [w for _, w in FMT])[0]
        nt = r.randint(7, 16)
        album = words(r, r.randint(1, 4), lang) + f" {ai}"
        cover = r.randrange(4) if r.random() < .4 else None
        year = r.randint(1955, 2026); date = r.choice([str(year), f"{year}-{r.randint(1,12):02d}-{r.randint(1,28):02d}"])
        genre = r.sample(GENRES, r.choices([1, 2], [85, 15])[0])
        almb = uuid(r)
        for d in range(1, discs + 1):
            for t in range(1, nt + 1):
                if len(out) >= n: break
                an, al, am = r.choice(artists) if comp else (name, lang, amb)
                tr = dict(title=words(r, r.randint(1, 5), al), artist=an, album=album,
                          albumartist="Various Artists" if comp else name, compilation=comp, disc=d, discs=discs,
                          track=t, tracks=nt, date=date, genre=genre, cover=cover, fmt=fmt,
                          lyrics=("\n".join(words(r, 6, al) for _ in range(24)) if r.random() < .1 else None),
                          mb_track=uuid(r), mb_album=almb, mb_artist=am, rg=f"{r.uniform(-12,2):.2f} dB")
                safe = lambda s: s.replace("/", "_")
                dd = f"/Disc {d}" if discs > 1 else ""
                tr["path"] = f"{safe(tr['albumartist'])}/{safe(album)}{dd}/{d}-{t:02d} {safe(tr['title'])[:80]}.{fmt}"
                tr["kind"] = "good"
                out.append(tr)
    # odd and broken ones replace the last K tracks
    kinds = ["zero", "trunc_mp3", "trunc_flac", "garbage_flac", "text_mp3", "trunc_m4a", "trunc_ogg", "id3v1_only",
             "id3v22", "id3v23_utf16", "cp949_id3v1", "cp949_latin1_v2", "ape_on_mp3", "junk_before_sync", "flac_with_id3",
             "ogg_named_mp3", "nonutf8_name", "newline_name", "track_slash", "huge_cover", "wav_id3", "empty_tags",
             "multi_artist", "bad_date", "id3v24_unsync", "opus_r128", "m4a_no_ext_tags", "mp3_v2_and_v1_differ", "bad_pic"]
    k = min(len(out) // 4, len(kinds) * (3 if n >= 1000 else 1))
    for i in range(k):
        out[-1 - i]["kind"] = kinds[i % len(kinds)]; out[-1 - i]["serial"] = i
    return out

def tag(tr, path, tmp):
    import mutagen
    from mutagen.id3 import (ID3, TIT2, TPE1, TPE2, TALB, TRCK, TPOS, TDRC, TCON, USLT, TXXX, APIC, TCMP, UFID, Encoding)
    pic = open(f"{tmp}/c{tr['cover']}.jpg", "rb").read() if tr["cover"] is not None else None
    f = tr["fmt"]
    def id3(v2=4, v1=0, enc=Encoding.UTF8):
        t = ID3()
        t.add(TIT2(enc, text=[tr["title"]])); t.add(TPE1(enc, text=tr.get("artists") or [tr["artist"]])); t.add(TPE2(enc, text=[tr["albumartist"]]))
        t.add(TALB(enc, text=[tr["album"]])); t.add(TRCK(enc, text=[f"{tr['track']}/{tr['tracks']}"])); t.add(TPOS(enc, text=[f"{tr['disc']}/{tr['discs']}"]))
        t.add(TDRC(enc, text=[tr["date"]])); t.add(TCON(enc, text=tr["genre"]))
        if tr["compilation"]: t.add(TCMP(enc, text=["1"]))
        if tr["lyrics"]: t.add(USLT(enc, lang="eng", desc="", text=tr["lyrics"]))
        t.add(UFID(owner="http://musicbrainz.org", data=tr["mb_track"].encode()))
        t.add(TXXX(enc, desc="MusicBrainz Album Id", text=[tr["mb_album"]])); t.add(TXXX(enc, desc="MusicBrainz Artist Id", text=[tr["mb_artist"]]))
        t.add(TXXX(enc, desc="REPLAYGAIN_TRACK_GAIN", text=[tr["rg"]]))
        if pic: t.add(APIC(enc if enc != Encoding.UTF8 else Encoding.LATIN1, mime="image/jpeg", type=3, desc="", data=pic))
        if v2 == 3: t.update_to_v23()
        t.save(path, v2_version=v2, v1=v1)
    if f in ("mp3",):
        id3()
    elif f == "wav":
        from mutagen.wave import WAVE
        w = WAVE(path); w.add_tags(); w.tags.add(TIT2(3, text=[tr["title"]])); w.tags.add(TPE1(3, text=[tr["artist"]])); w.tags.add(TALB(3, text=[tr["album"]])); w.save()
    elif f == "m4a":
        from mutagen.mp4 import MP4, MP4Cover, MP4FreeForm
        m = MP4(path); 
        if m.tags is None: m.add_tags()
        m["\xa9nam"] = [tr["title"]]; m["\xa9ART"] = tr.get("artists") or [tr["artist"]]; m["\xa9alb"] = [tr["album"]]; m["aART"] = [tr["albumartist"]]
        m["trkn"] = [(tr["track"], tr["tracks"])]; m["disk"] = [(tr["disc"], tr["discs"])]; m["\xa9day"] = [tr["date"]]; m["\xa9gen"] = tr["genre"]
        m["cpil"] = tr["compilation"]
        if tr["lyrics"]: m["\xa9lyr"] = [tr["lyrics"]]
        for k, v in (("MusicBrainz Track Id", "mb_track"), ("MusicBrainz Album Id", "mb_album"), ("MusicBrainz Artist Id", "mb_artist"), ("replaygain_track_gain", "rg")):
            m[f"----:com.apple.iTunes:{k}"] = [MP4FreeForm(tr[v].encode())]
        if pic: m["covr"] = [MP4Cover(pic, MP4Cover.FORMAT_JPEG)]
        m.save()
    else:
        from mutagen.flac import Picture
        m = mutagen.File(path)
        if m.tags is None: m.add_tags()
        m.tags.clear() if f != "flac" else m.delete()
        if m.tags is None: m.add_tags()
        T = {"TITLE": tr["title"], "ARTIST": tr.get("artists") or tr["artist"], "ALBUM": tr["album"], "ALBUMARTIST": tr["albumartist"],
             "TRACKNUMBER": str(tr["track"]), "TRACKTOTAL": str(tr["tracks"]), "DISCNUMBER": str(tr["disc"]), "DISCTOTAL": str(tr["discs"]),
             "DATE": tr["date"], "GENRE": tr["genre"], "MUSICBRAINZ_TRACKID": tr["mb_track"], "MUSICBRAINZ_ALBUMID": tr["mb_album"],
             "MUSICBRAINZ_ARTISTID": tr["mb_artist"]}
        if f == "opus": T["R128_TRACK_GAIN"] = str(int(float(tr["rg"].split()[0]) * 256))
        else: T["REPLAYGAIN_TRACK_GAIN"] = tr["rg"]
        if tr["compilation"]: T["COMPILATION"] = "1"
        if tr["lyrics"]: T["LYRICS"] = tr["lyrics"]
        for k, v in T.items(): m[k] = v
        if pic:
            p = Picture(); p.type = 3; p.mime = "image/jpeg"; p.data = pic; p.width = p.height = 500; p.depth = 24
            if f == "flac": m.add_picture(p)
            else: m["METADATA_BLOCK_PICTURE"] = [base64.b64encode(p.write()).decode()]
        m.save()
    return id3

def id3v1(tr, enc):
    b = lambda s, n: s.encode(enc, "replace")[:n].ljust(n, b"\0")
    return b"TAG" + b(tr["title"], 30) + b(tr["artist"], 30) + b(tr["album"], 30) + b(tr["date"][:4], 4) + b"".ljust(28, b"\0") + bytes([0, tr["track"] & 255, 17])

def frame22(fid, text):
    d = b"\x01" + text.encode("utf-16"); return fid + struct.pack(">I", len(d))[1:] + d

def syncsafe(n): return bytes([(n >> 21) & 127, (n >> 14) & 127, (n >> 7) & 127, n & 127])

def make(a):
    tr, root, tmp = a
    k = tr["kind"]
    if k != "good":   # choose the format the odd kind needs
        want = {"zero": "mp3", "trunc_mp3": "mp3", "trunc_flac": "flac", "garbage_flac": "flac", "text_mp3": "mp3", "trunc_m4a": "m4a",
                "trunc_ogg": "ogg", "flac_with_id3": "flac", "ogg_named_mp3": "ogg", "wav_id3": "wav", "opus_r128": "opus", "m4a_no_ext_tags": "m4a",
                "multi_artist": ["flac", "mp3", "m4a"][tr["serial"] % 3], "bad_date": "flac", "track_slash": "ogg", "empty_tags": "flac",
                "nonutf8_name": "flac", "newline_name": "mp3", "huge_cover": "mp3"}.get(k, "mp3")
        tr["fmt"] = want
        tr["path"] = f"Odd/{k}/{tr['serial']:03d} {k}.{want}"
        if k == "huge_cover": tr["cover"] = 3
        if k == "multi_artist": tr["artists"] = [tr["artist"], "Second Artist", "Third; Artist"]
        if k == "bad_date": tr["date"] = "2003-00-00"
        if k == "cp949_id3v1" or k == "cp949_latin1_v2": tr.update(title="사랑의 노래", artist="그대 바다", album="겨울 여행")
        if k == "newline_name": tr["path"] = f"Odd/{k}/{tr['serial']:03d} new\nline.mp3"
    f = tr["fmt"]
    path = os.path.join(root, tr["path"])
    bpath = os.fsencode(path)
    if k == "nonutf8_name": bpath = os.fsencode(os.path.dirname(path)) + b"/%03d caf\xe9.flac" % tr["serial"]; tr["path"] = os.fsdecode(bpath[len(os.fsencode(root)) + 1:])
    os.makedirs(os.path.dirname(bpath), exist_ok=True)
    path = os.fsdecode(bpath)
    shutil.copyfile(f"{tmp}/b.{f}", path)
    rd = lambda: open(path, "rb").read()
    def wr(b): open(path, "wb").write(b)
    if k == "zero": wr(b"")
    elif k == "text_mp3": wr(b"this is not an mp3 file\n" * 40)
    elif k == "garbage_flac": wr(random.Random(tr["serial"]).randbytes(20000))
    elif k in ("id3v1_only", "cp949_id3v1"): wr(rd() + id3v1(tr, "latin-1" if k == "id3v1_only" else "cp949"))
    elif k == "id3v22":
        fr = frame22(b"TT2", tr["title"]) + frame22(b"TP1", tr["artist"]) + frame22(b"TAL", tr["album"]) + frame22(b"TRK", f"{tr['track']}/{tr['tracks']}") + frame22(b"TYE", tr["date"][:4])
        wr(b"ID3\x02\x00\x00" + syncsafe(len(fr)) + fr + rd())
    elif k == "cp949_latin1_v2":
        fr = b""
        for fid, s in ((b"TIT2", tr["title"]), (b"TPE1", tr["artist"]), (b"TALB", tr["album"])):
            d = b"\x00" + s.encode("cp949"); fr += fid + struct.pack(">I", len(d)) + b"\0\0" + d
        wr(b"ID3\x03\x00\x00" + syncsafe(len(fr)) + fr + rd())
    elif k == "ape_on_mp3":
        from mutagen.apev2 import APEv2
        t = APEv2(); t["Title"] = tr["title"]; t["Artist"] = tr["artist"]; t["Album"] = tr["album"]; t["Track"] = str(tr["track"]); t["Year"] = tr["date"]; t.save(path)
    elif k == "empty_tags": pass
    elif k == "m4a_no_ext_tags": pass
    elif k == "id3v23_utf16":
        tag_id3(tr, path, tmp, 3)
    elif k == "id3v24_unsync":
        tag(tr, path, tmp); b = bytearray(rd()); 
        # header flag says unsynchronised; body has no FF bytes when no cover
        if tr["cover"] is None: b[5] |= 0x80
        wr(bytes(b))
    elif k == "junk_before_sync": tag(tr, path, tmp); b = rd(); n = 10 + ((b[6] << 21) | (b[7] << 14) | (b[8] << 7) | b[9]); wr(b[:n] + b"\0" * 3000 + b"junk" * 300 + b[n:])
    elif k == "mp3_v2_and_v1_differ": tag(tr, path, tmp); wr(rd() + id3v1({**tr, "title": "OLD V1 TITLE", "artist": "OLD"}, "latin-1"))
    elif k == "bad_pic":
        tag({**tr, "cover": 0}, path, tmp); b = rd(); i = b.find(b"APIC"); wr(b[:i + 4] + b"\x7f\x7f\x7f\x7f" + b[i + 8:]) if i > 0 else None
    elif k == "flac_with_id3":
        tag(tr, path, tmp); fr = b""
        d = b"\x03ID3 TITLE"; fr = b"TIT2" + syncsafe(len(d)) + b"\0\0" + d
        wr(b"ID3\x04\x00\x00" + syncsafe(len(fr)) + fr + rd())
    elif k == "track_slash":
        tag(tr, path, tmp); import mutagen; m = mutagen.File(path); m["TRACKNUMBER"] = f"{tr['track']:02d}/{tr['tracks']}"; m.save()
    else:
        tag(tr, path, tmp)
        if k == "ogg_named_mp3": np = path[:-4] + ".mp3"; os.rename(path, np); tr["path"] = tr["path"][:-4] + ".mp3"; path = np
        if k == "huge_cover":
            from mutagen.id3 import ID3, APIC
            t = ID3(path); t.delall("APIC"); t.add(APIC(0, mime="image/jpeg", type=3, desc="", data=open(f"{tmp}/c3.jpg", "rb").read() + b"\0" * 8_000_000)); t.save(path)
        if k.startswith("trunc_"): b = rd(); wr(b[:len(b) * 2 // 3] if k != "trunc_m4a" else b[:len(b) // 3])
    # spread mtimes so that 'added' order is not all one second
    mt = 1_600_000_000 + (hash(tr["mb_track"]) % 100_000_000 if False else int(tr["mb_track"][:6], 16))
    os.utime(path, (mt, mt))
    return tr

def tag_id3(tr, path, tmp, v2):
    fn = tag({**tr, "fmt": "mp3"}, path, tmp); fn.__call__(v2=3, enc=1)

if __name__ == "__main__":
    ap = argparse.ArgumentParser(); ap.add_argument("n", type=int); ap.add_argument("dir"); ap.add_argument("--seed", type=int, default=7); ap.add_argument("--workers", type=int, default=2)
    o = ap.parse_args(); root = os.path.abspath(o.dir); tmp = os.path.join(os.path.dirname(root), "bases"); os.makedirs(root, exist_ok=True)
    bases(tmp); pl = plan(o.n, o.seed); ap = None
    with Pool(o.workers) as p, open(os.path.join(os.path.dirname(root), os.path.basename(root) + "-truth.jsonl"), "w") as out:
        for tr in p.imap(make, [(t, root, tmp) for t in pl], chunksize=64):
            out.write(json.dumps(tr, ensure_ascii=True) + "\n")
    # a cover.jpg in every fifth album folder
    n = 0
    for i, (d, _, fs) in enumerate(sorted(os.walk(root))):
        if fs and i % 5 == 0 and "Odd" not in d: shutil.copyfile(f"{tmp}/c1.jpg", os.path.join(d, "cover.jpg")); n += 1
    print(len(pl), "files,", len({(t['albumartist'], t['album']) for t in pl}), "albums,", n, "folder covers")
