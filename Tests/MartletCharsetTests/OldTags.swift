// SPDX-License-Identifier: Apache-2.0
import MartletCharset
import Testing

/// Title, artist and album of records as an old tagger would have written them: one file each.
struct OldTag: CustomTestStringConvertible {
    let charset: Charset
    let fields: [String]

    var testDescription: String { "\(fields[0]) in \(charset)" }

    var bytes: [[UInt8]] { fields.map { charset.encode($0)! } }

    static let all: [OldTag] =
        tags(
            .cp949,
            """
            사랑의 노래|그대 바다|겨울 여행
            서른 즈음에|김광석|다시 부르기 1
            봄날|방탄소년단|화양연화
            밤편지|아이유|팔레트
            벚꽃 엔딩|버스커 버스커|1집
            거리에서|성시경|여름날의 꿈
            좋은 날|이지은|진짜
            아리랑|나윤선|동행
            먼지가 되어|이윤수|걸작선
            나는 나비|윤도현 밴드|왜 불러
            """)
        + tags(
            .cp932,
            """
            上を向いて歩こう|坂本九|ベスト
            夜に駆ける|YOASOBI|夜に駆ける
            残酷な天使のテーゼ|高橋洋子|新世紀エヴァンゲリオン
            さくら|森山直太朗|乾いた唄は魚の餌にちょうどいい
            津軽海峡・冬景色|石川さゆり|全曲集
            ひまわりの約束|秦基博|映画主題歌
            世界に一つだけの花|スマップ|シングル
            いとしのエリー|サザンオールスターズ|海のYeah!!
            """)
        + tags(
            .eucJP,
            """
            少年時代|井上陽水|ハンサムボーイ
            もののけ姫|米良美一|サウンドトラック
            ルージュの伝言|荒井由実|コバルト・アワー
            """)
        + tags(
            .gb18030,
            """
            月亮代表我的心|邓丽君|岛国之情歌
            童话|光良|童话
            一无所有|崔健|新长征路上的摇滚
            后来|刘若英|我等你
            夜曲|周杰伦|十一月的萧邦
            红豆|王菲|唱游
            光辉岁月|黄家驹|命运派对
            """)
        + tags(
            .big5,
            """
            月亮代表我的心|鄧麗君|島國之情歌
            雙截棍|周杰倫|范特西
            吻別|張學友|吻別
            朋友|周華健|朋友
            海闊天空|黃家駒|樂與怒
            小幸運|田馥甄|我的少女時代
            """)
        + tags(
            .windows1251,
            """
            Группа крови|Кино|Группа крови
            Подмосковные вечера|Владимир Трошин|Избранное
            ЗВЕЗДА ПО ИМЕНИ СОЛНЦЕ|КИНО|ЛУЧШЕЕ
            Я свободен|Кипелов|Путь наверх
            Вахтёрам|Бумбокс|III
            Кукушка|Полина Гагарина|Музыка из фильма
            Ой у лузі червона калина|Народна|Пісні
            """)
        + tags(
            .koi8R,
            """
            Группа крови|Кино|Последний герой
            Миллион алых роз|Алла Пугачёва|Лучшие песни
            """)
        + tags(
            .windows1252,
            """
            Déjà vu|Beyoncé|B'Day
            Jóga|Björk|Homogenic
            Über den Wolken|Reinhard Mey|Wie vor Jahr und Tag
            Non, je ne regrette rien|Édith Piaf|À l’Olympia
            Hoppípolla|Sigur Rós|Takk…
            Corazón espinado|Maná|Revolución de amor
            Ace of Spades|Motörhead|No Sleep ’til Hammersmith
            Águas de março|Antônio Carlos Jobim|Elis & Tom
            """)

    private static func tags(_ charset: Charset, _ lines: String) -> [OldTag] {
        lines.split(separator: "\n").map { OldTag(charset: charset, fields: $0.split(separator: "|").map(String.init)) }
    }
}
