"""2,000 posts in seven languages, and 200 queries for them, the same each time."""

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

BEGAN = datetime(2024, 1, 1, tzinfo=UTC)
BETWEEN = timedelta(hours=9)
USERS = [f"writer{number}" for number in range(12)]
NODES = ["General", "Ruby on Rails", "数据库"]
TOPICS, REPLIES = 300, 1_700

_LATIN = {
    "en": "the a to of server index query deploy cache error memory thread token header slow fast "
    "release bug fix upgrade docker python node.js C++ don't works again please help anyone why "
    "how when never always release-notes snake_case v2.0 database table column migration",
    "de": "der die das und nicht ist mit für Server Fehler Speicher schnell langsam größer Lösung "
    "Datenbank Abfrage läuft wieder warum können müssen Café Straße über Benutzer Anmeldung",
    "ru": "и в не на что сервер ошибка память быстро медленно база данных запрос почему работает "
    "снова обновление пользователь вход нужно можно йод ёлка кэш поток",
}
_DENSE = {
    "zh": "数据库 索引 查询 服务器 部署 错误 内存 线程 为什么 怎么 优化 "
    "性能 用户 登录 搜索 中文 测试 问题 解决 方法 版本 升级 缓存 很 慢 快 的 了 吗 我们 可以",
    "ja": "データベース 検索 サーバー エラー メモリ 遅い 速い なぜ 方法 教えて "
    "ください 使う 設定 の は を が 動く 問題 解決 更新 ログイン 東京 カメラ が ガ",
    "ko": "데이터베이스 검색 서버 오류 메모리 느린 빠른 왜 방법 "
    "설정 사용자 로그인 업데이트 문제 해결 를 은 이 가",
    "th": "ฐานข้อมูล ค้นหา เซิร์ฟเวอร์ ผิดพลาด หน่วยความจำ ช้า เร็ว ทำไม วิธี ผู้ใช้ ปัญหา แก้ไข ไทย ภาษา",
}
WORDS = {name: text.split() for name, text in {**_LATIN, **_DENSE}.items()}


@dataclass(frozen=True)
class Corpus:
    """Rows of topics and replies, with fixed ids, without what `rows.complete` adds."""

    topics: list[dict[str, Any]]
    replies: list[dict[str, Any]]


def sentence(language: str, chosen: random.Random, length: int) -> str:
    """Return words, of which the first of the list are the most frequent."""
    words = WORDS[language]
    drawn = [words[min(int(chosen.paretovariate(0.7)) - 1, len(words) - 1)] for _ in range(length)]
    mixed = [chosen.choice(words) if chosen.random() < 0.5 else word for word in drawn]
    return ("" if language in _DENSE and language != "ko" else " ").join(mixed)


def corpus(user_ids: list[int], node_ids: list[int]) -> Corpus:
    """Return the posts, written by these users in these nodes, in the order of their times."""
    chosen = random.Random(7)  # noqa: S311 - nothing is secret
    topics: list[dict[str, Any]] = []
    replies: list[dict[str, Any]] = []
    kinds = ["topic"] * TOPICS + ["reply"] * REPLIES
    chosen.shuffle(kinds)
    kinds.remove("topic")
    for number, kind in enumerate(["topic", *kinds]):
        language = chosen.choice([*WORDS])
        at = BEGAN + number * BETWEEN
        common = {
            "user_id": chosen.choice(user_ids),
            "created_at": at,
            "updated_at": at,
            "likes_count": chosen.choice([0, 0, 0, 1, 2, 9]),
            "body_html": f"<p>{sentence(language, chosen, chosen.randint(3, 25))}</p>",
        }
        if kind == "topic":
            topics.append(
                {
                    **common,
                    "id": 1_000 + len(topics),
                    "node_id": chosen.choice(node_ids),
                    "title": sentence(language, chosen, chosen.randint(2, 6)),
                    "replies_count": chosen.choice([0, 1, 5, 40]),
                    "excellent_at": at if chosen.random() < 0.1 else None,
                    "closed_at": at if chosen.random() < 0.1 else None,
                }
            )
        else:
            topic = chosen.choice(topics)
            replies.append({**common, "id": 5_000 + len(replies), "topic_id": topic["id"]})
    return Corpus(topics, replies)


SPACELESS = ("zh", "ja", "th")
"""The languages that are written without blanks."""


def queries() -> list[str]:
    """Return 200 queries."""
    chosen = random.Random(8)  # noqa: S311 - nothing is secret
    made = []
    for number in range(200):
        language = chosen.choice([*WORDS])
        words = [word for word in WORDS[language] if len(word) > 1] or WORDS[language]
        one, two = chosen.sample(words, 2)
        made.append(
            (
                one,
                f"{one} {two}",
                f"{one} {two} {chosen.choice(words)}",
                # A mark alone is nothing that can be typed.
                chosen.choice([*filter(str.isalpha, "".join(WORDS[chosen.choice(SPACELESS)]))]),
                f'"{one} {two}"',
                f"{one} -{two}",
                f"{one[:3]}* {two}",
                f"{one} by:{chosen.choice(USERS)}",
                f'{one} node:"{chosen.choice(NODES)}"',
                f"{one} in:{chosen.choice(['title', 'topics', 'replies'])}",
                f"{one} is:{chosen.choice(['open', 'closed', 'excellent', 'unanswered'])}",
                f"{one} before:2025-0{chosen.randint(1, 9)}",
                f"{one} after:2025-0{chosen.randint(1, 9)}",
                f"{one} order:{chosen.choice(['recent', 'likes'])}",
                f"by:{chosen.choice(USERS)} order:recent",
                sentence("zh", chosen, 2)[:4],
            )[number % 16]
        )
    return made
