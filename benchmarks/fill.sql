-- The statements of `benchmarks.fill`, for both databases. {name} stands for the part of that name,
-- or for what `_run` is given; moment(…) is a time, from seconds since 1970; i numbers rows from 0.

-- name: rows
(SELECT :start + i AS i FROM bench_series WHERE :start + i < :many) rows

-- Pseudo-random numbers from 0 to 1.
-- name: u
(CAST((i * 1103515245 + 11) % 2147483647 AS double precision) / 2147483647)

-- name: v
(CAST((i * 1566083941 + 29) % 2147483647 AS double precision) / 2147483647)

-- A few users are drawn often, most are drawn seldom: by Zipf's law.
-- name: author
:first_user + CAST(floor(4 * (pow((:users + 4) / 4.0, {u}) - 1)) AS integer)

-- name: other
:first_user + CAST(floor(4 * (pow((:users + 4) / 4.0, {v}) - 1)) AS integer)

-- Mostly new topics. A quarter of the replies goes to each 1024th topic; each fifth topic has none.
-- name: topic
(CASE WHEN i % 4 = 0 AND {new} >= 1024 THEN {new} - {new} % 1024 WHEN {new} % 5 = 1 THEN {new} - 1 ELSE {new} END)

-- name: new
(CAST(floor(:topics * (1.0 * i / :many) * (1 - {v} * {v} * {v} * {v})) AS integer))

-- name: at
moment(:began + CAST(i * :span / :many AS bigint))

-- name: text
a.body || :gap || b.body || :gap || 'trace-' || e.i,
a.body_html || b.body_html || '<p>trace-' || e.i || '</p>'

-- name: pieces
CREATE TEMP TABLE bench_pieces AS
SELECT row_number() OVER (ORDER BY title IS NULL, id) - 1 AS n, title, body, body_html FROM (
  SELECT id, title, body, body_html FROM topics UNION ALL SELECT id, NULL, body, body_html FROM replies
) posts

-- name: users
INSERT INTO users (
  login, login_key, name, name_key, password_hash, role, state, created_at, updated_at
)
SELECT
  'member' || i, 'member' || i, '', '', d.password_hash, 'member', 'active', d.created_at, d.created_at
FROM {rows}, users d WHERE d.login_key = 'demo'

-- name: topics
INSERT INTO topics (user_id, node_id, title, body, body_html, markup_version, hits, excellent_at,
  closed_at, closed_by_id, banned_at, deleted_at, last_active_at, created_at, updated_at)
SELECT e.author, :first_node + CAST(floor(:nodes * e.u * e.u) AS integer), 'No ' || e.i || ': ' || c.title, {text}, d.markup_version, e.i % 97,
  CASE WHEN e.i % 61 = 17 THEN e.at END, CASE WHEN e.i % 47 = 11 THEN e.at END,
  CASE WHEN e.i % 47 = 11 THEN e.author END, CASE WHEN e.i % 211 = 50 THEN e.at END,
  CASE WHEN e.i % 127 = 30 THEN e.at END, e.at, e.at, e.at
FROM (SELECT i, {u} AS u, {author} AS author, {at} AS at FROM {rows}) e
JOIN bench_pieces a ON a.n = e.i % :pieces JOIN bench_pieces b ON b.n = e.i / 7 % :pieces
JOIN bench_pieces c ON c.n = e.i % :titles
CROSS JOIN (SELECT max(markup_version) AS markup_version FROM topics) d

-- name: replies
INSERT INTO replies (topic_id, user_id, body, body_html, markup_version, deleted_at, created_at, updated_at)
SELECT :first_topic + e.topic, e.author, {text}, d.markup_version, CASE WHEN e.i % 83 = 40 THEN e.at END, e.at, e.at
FROM (SELECT i, {topic} AS topic, {author} AS author, {at} AS at FROM {rows}) e
JOIN bench_pieces a ON a.n = e.i % :pieces JOIN bench_pieces b ON b.n = e.i / 7 % :pieces
CROSS JOIN (SELECT max(markup_version) AS markup_version FROM topics) d

-- name: relation to posts
INSERT INTO {table} (user_id, {column}, created_at)
SELECT {author}, :first_target + {target}, min({at}) FROM {rows} GROUP BY 1, 2
ON CONFLICT DO NOTHING

-- name: relation to users
INSERT INTO {table} (user_id, target_id, created_at)
SELECT author, target, min(at)
FROM (SELECT i, {author} AS author, {other} AS target, {at} AS at FROM {rows}) e WHERE author <> target GROUP BY 1, 2
ON CONFLICT DO NOTHING

-- name: notices
INSERT INTO notifications (user_id, actor_id, type, topic_id, reply_id, read_at, created_at, updated_at)
SELECT t.user_id, r.user_id, 'TopicReply', t.id, r.id, r.created_at, r.created_at, r.created_at
FROM replies r JOIN topics t ON t.id = r.topic_id
WHERE r.id > :last_reply - 20000 AND r.user_id <> t.user_id AND r.deleted_at IS NULL
  AND t.deleted_at IS NULL AND t.banned_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM notifications n WHERE n.reply_id = r.id AND n.user_id = t.user_id)
  AND NOT EXISTS (SELECT 1 FROM user_blocks b WHERE b.user_id = t.user_id AND b.target_id = r.user_id)
