-- The posts and relations of a large community, for both databases. `bulk.py` runs it.
--
-- :users, :topics, :replies: how many there are; :first_…: the id of the first; a row is numbered
-- from 0. Rows stand in the order of time: number i of n comes at :start + :span * i / n (seconds
-- since 1970), when :topics * i / n topics exist. moment(…) is that time as the database stores it.

-- name: tables
CREATE TEMP TABLE demo_series (i bigint PRIMARY KEY);
CREATE TEMP TABLE demo_draws (
  deck integer, number bigint, share bigint, age bigint, stride bigint, theme integer,
  first bigint, second bigint, PRIMARY KEY (deck, number)
);
CREATE TEMP TABLE demo_themes (number integer PRIMARY KEY, node_id bigint);
CREATE TEMP TABLE demo_pieces (id bigint PRIMARY KEY, body text, html text);

-- The numbers from 0, each with its draws. The periods of the two decks have no common divisor, so
-- the same pair of draws comes again after 16 million numbers only.
CREATE TEMP VIEW demo_numbers AS
SELECT n.batch, n.i, a.share, b.share AS other_share, b.age, b.stride, a.theme,
  a.first + b.first AS first, a.second + b.second AS second
FROM (
  SELECT high.i AS batch, high.i * 16384 + low.i AS i
  FROM demo_series high CROSS JOIN demo_series low
) n
LEFT JOIN demo_draws a ON a.deck = 1 AND a.number = n.i % 4093
LEFT JOIN demo_draws b ON b.deck = 2 AND b.number = n.i % 4091;

-- name: drop
DROP VIEW demo_numbers;
DROP TABLE demo_series;
DROP TABLE demo_draws;
DROP TABLE demo_themes;
DROP TABLE demo_pieces;

-- name: topics
INSERT INTO topics (
  id, user_id, node_id, title, body, body_html, markup_version, hits,
  excellent_at, closed_at, closed_by_id, banned_at, deleted_at,
  last_active_at, created_at, updated_at
)
SELECT
  :first_topic + e.i, e.author, theme.node_id, head.body || tail.body,
  replace(opening.body || gap.body || one.body || gap.body || another.body, '9876501234', CAST(e.i AS text)),
  replace(opening.html || gap.html || one.html || gap.html || another.html, '9876501234', CAST(e.i AS text)),
  :markup_version,
  5 + e.first % 90 + CASE
    WHEN e.i % 512 = 0 THEN 7000 WHEN e.i % 64 = 0 THEN 900 WHEN e.i % 8 = 0 THEN 120 ELSE 0 END,
  CASE WHEN e.i % 61 = 17 THEN e.later END,
  CASE WHEN e.i % 47 = 11 THEN e.later END,
  CASE WHEN e.i % 47 = 11 THEN e.author END,
  CASE WHEN e.i % 211 = 50 THEN e.later END,
  CASE WHEN e.i % 127 = 30 THEN e.later END,
  e.at, e.at, e.at
FROM (
  SELECT i, theme, first, second,
    :first_user + (2 + share * ((:users - 2) * i / :topics) / 1000000000) % :users AS author,
    moment(:start + :span * i / :topics) AS at, moment(:start + :span) AS later
  FROM demo_numbers WHERE batch = :batch AND i < :topics
) e
LEFT JOIN demo_themes theme ON theme.number = e.theme
LEFT JOIN demo_pieces head ON head.id = e.theme * 10000 + e.first % :titles
LEFT JOIN demo_pieces tail ON tail.id = 1000000 + e.theme * 10000 + e.second % :tails
LEFT JOIN demo_pieces opening ON opening.id = 2000000 + e.theme * 10000 + e.second % :openings
LEFT JOIN demo_pieces one ON one.id = 3000000 + e.theme * 10000 + e.first / 7 % :paragraphs
LEFT JOIN demo_pieces another ON another.id = 3000000 + e.theme * 10000 + e.second / 7 % :paragraphs
LEFT JOIN demo_pieces gap ON gap.id = -1;

-- A topic whose number is a multiple of a larger stride has more replies and likes: of the topics
-- that are about as old as the one that was drawn, the nearest such multiple is taken. One topic in
-- five has neither.
-- name: replies
INSERT INTO replies (
  id, topic_id, user_id, body, body_html, markup_version, deleted_at, created_at, updated_at
)
SELECT
  :first_reply + e.i, :first_topic + e.topic, e.author,
  replace(answer.body || gap.body || one.body || gap.body || another.body, '9876501234', CAST(e.i AS text)),
  replace(answer.html || gap.html || one.html || gap.html || another.html, '9876501234', CAST(e.i AS text)),
  :markup_version,
  CASE WHEN e.i % 83 = 40 THEN e.at END,
  e.at, e.at
FROM (
  SELECT i, first, second, author, at, popular - CASE popular % 5 WHEN 1 THEN 1 ELSE 0 END AS topic
  FROM (
    SELECT i, first, second, author, at, drawn - drawn % stride AS popular
    FROM (
      SELECT i, first, second, stride,
        :topics * i / :replies - :topics * i / :replies * age / 1000000000 AS drawn,
        :first_user + (2 + share * ((:users - 2) * i / :replies) / 1000000000) % :users AS author,
        moment(:start + 60 + :span * i / :replies) AS at
      FROM demo_numbers WHERE batch = :batch AND i < :replies
    ) a
  ) b
) e
LEFT JOIN demo_draws theme ON theme.deck = 1 AND theme.number = e.topic % 4093
LEFT JOIN demo_pieces answer ON answer.id = 4000000 + theme.theme * 10000 + e.first % :answers
LEFT JOIN demo_pieces one ON one.id = 3000000 + theme.theme * 10000 + e.first / 7 % :paragraphs
LEFT JOIN demo_pieces another
  ON another.id = 3000000 + theme.theme * 10000 + e.second / 7 % :paragraphs
LEFT JOIN demo_pieces gap ON gap.id = -1;

-- {table}: of a relation of users to rows of another table; {column}: of the latter; :many: how many
-- are drawn, of which those that are drawn twice are one.
-- name: relations to posts
INSERT INTO {table} (user_id, {column}, created_at)
SELECT author, :first_target + popular - CASE popular % 5 WHEN 1 THEN 1 ELSE 0 END, min(at)
FROM (
  SELECT i, author, at, drawn - drawn % stride AS popular
  FROM (
    SELECT i, stride, :targets * i / :many - :targets * i / :many * age / 1000000000 AS drawn,
      :first_user + (2 + share * ((:users - 2) * i / :many) / 1000000000) % :users AS author,
      moment(:start + 90 + :span * i / :many) AS at
    FROM demo_numbers WHERE batch <= :many / 16384 AND i < :many
  ) a
) e
GROUP BY 1, 2 ORDER BY min(i);

-- name: relations to users
INSERT INTO {table} (user_id, {column}, created_at)
SELECT author, target, min(at)
FROM (
  SELECT i,
    :first_user + (2 + share * ((:users - 2) * i / :many) / 1000000000) % :users AS author,
    :first_user + (2 + other_share * ((:users - 2) * i / :many) / 1000000000) % :users AS target,
    moment(:start + :span * i / :many) AS at
  FROM demo_numbers WHERE batch <= :many / 16384 AND i < :many
) e
WHERE author <> target
GROUP BY 1, 2 ORDER BY min(i);

-- Of the last replies only: the notifications of earlier ones are read and deleted. These are read.
-- name: notifications
INSERT INTO notifications (
  user_id, actor_id, type, topic_id, reply_id, read_at, created_at, updated_at
)
SELECT t.user_id, r.user_id, 'TopicReply', t.id, r.id, r.created_at, r.created_at, r.created_at
FROM replies r JOIN topics t ON t.id = r.topic_id
WHERE r.id >= :first_reply + :replies - :recent AND r.id < :first_reply + :replies
  AND r.user_id <> t.user_id AND r.deleted_at IS NULL
  AND t.deleted_at IS NULL AND t.banned_at IS NULL
  AND NOT EXISTS (
    SELECT 1 FROM user_blocks b WHERE b.user_id = t.user_id AND b.target_id = r.user_id
  )
ORDER BY r.id;

-- name: follow notices
INSERT INTO follow_notices (user_id, target_id, created_at)
SELECT user_id, target_id, created_at FROM user_follows WHERE user_id >= :first_user;
