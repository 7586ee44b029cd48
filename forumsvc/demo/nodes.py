"""The sections and nodes of the demo community, and what people talk about in each."""

from dataclasses import dataclass

from .grammar import split_words


@dataclass(frozen=True)
class NodeTheme:
    """A node and its talk.

    name, section, summary (Markdown): as the API shows them; weight: its share of the topics,
    against the sum of all; kind: which titles and texts fit (a key of `social.TALK`);
    code: the key of `snippets.SNIPPETS` that its code is taken from; subjects: noun phrases that
    can follow "How do you handle"; tools: names that can follow "has anyone used".
    """

    name: str
    section: str
    summary: str
    weight: int
    kind: str
    code: str
    subjects: tuple[str, ...]
    tools: tuple[str, ...]


SECTIONS: tuple[str, ...] = ("Languages", "Web", "Data", "Operations", "Craft", "Community")
"""Names of the sections, the first shown first."""


NODES: tuple[NodeTheme, ...] = (
    NodeTheme(
        "Python", "Languages",
        "Everything Python, from `print` to packaging. Please name your version.", 20, "tech",
        "python",
        split_words(
            "cancelling async tasks | typing a decorator | circular imports | slow start-up |"
            " memory growth in long-running workers | reading large CSV files | optional"
            " dependencies | time zones | the GIL in a thread pool | namespace packages |"
            " dataclass inheritance | generators that must clean up"),
        split_words("asyncio | pytest | mypy | Pyramid | SQLAlchemy | pip-tools | Cython | attrs |"
               " httpx"),
    ),
    NodeTheme(
        "Rust", "Languages", "Ownership, lifetimes, crates, and the joy of a green `cargo test`.",
        12, "tech", "rust",
        split_words(
            "error types in a workspace | lifetimes in an iterator | blocking calls inside async"
            " code | compile times | self-referential structs | trait objects against generics |"
            " feature flags | sharing state between tasks | parsing without copies"),
        split_words("tokio | serde | axum | clap | rayon | sqlx | criterion | miri"),
    ),
    NodeTheme(
        "Go", "Languages", "Small interfaces, plain errors, fast builds.", 10, "tech", "go",
        split_words(
            "context cancellation | goroutine leaks | wrapping errors | generics in a library |"
            " table-driven tests | graceful shutdown | struct layout and padding | vendoring |"
            " channels against mutexes"),
        split_words("net/http | pprof | chi | sqlc | golangci-lint | delve | cobra"),
    ),
    NodeTheme(
        "JavaScript", "Languages", "In the browser and out of it.", 12, "tech", "javascript",
        split_words(
            "promise rejections nobody handles | event listener leaks | ESM and CommonJS in one"
            " package | debouncing user input | large lists in the DOM | dates and locales |"
            " streaming a response | bundle size | web workers"),
        split_words("Vite | esbuild | Node.js | Deno | Playwright | Preact | ESLint"),
    ),
    NodeTheme(
        "TypeScript", "Languages", "Types that earn their keep.", 7, "tech", "typescript",
        split_words(
            "narrowing a union | generated API clients | strict mode in old code | branded ids |"
            " declaration files | slow type checking | discriminated unions | typing event"
            " emitters"),
        split_words("zod | tsc | ts-node | tRPC | typescript-eslint | tsup"),
    ),
    NodeTheme(
        "Ruby", "Languages", "Gems, blocks, and happy programmers.", 6, "tech", "ruby",
        split_words(
            "N+1 queries | background jobs that run twice | monkey patches | boot time | frozen"
            " strings | thread safety of a gem | service objects | memory bloat"),
        split_words("Rails | Sidekiq | RSpec | Puma | Bundler | RuboCop | Sorbet"),
    ),
    NodeTheme(
        "Java and Kotlin", "Languages", "The JVM and what runs on it.", 6, "tech", "java",
        split_words(
            "garbage collector pauses | virtual threads | dependency conflicts | null checks |"
            " record classes | slow integration tests | class loading | connection pools"),
        split_words("Gradle | Maven | Spring | JUnit | Quarkus | Ktor | jOOQ"),
    ),
    NodeTheme(
        "C and C++", "Languages", "Close to the metal. Mind the undefined behaviour.", 5, "tech",
        "cpp",
        split_words("header dependencies | undefined behaviour | move semantics | cross compiling |"
                    " string encodings | build systems | data races | custom allocators"),
        split_words("CMake | clang-tidy | AddressSanitizer | Meson | Catch2 | GDB | Conan"),
    ),
    NodeTheme(
        "Elixir and Erlang", "Languages", "Let it crash, politely.", 3, "tech", "elixir",
        split_words("supervision trees | mailbox overflow | hot upgrades | changesets | distributed"
                    " nodes | pattern matching on maps | back-pressure"),
        split_words("Phoenix | Ecto | GenStage | Broadway | LiveView | Dialyzer"),
    ),
    NodeTheme(
        "HTTP and APIs", "Web", "Designing, serving and calling APIs.", 9, "tech", "http",
        split_words(
            "pagination that does not skip rows | versioning an API | idempotent POST requests |"
            " rate limiting | OAuth refresh tokens | file uploads | CORS preflights | caching"
            " headers | webhooks that arrive twice | error formats"),
        split_words("OpenAPI | curl | nginx | Postman | gRPC | GraphQL | HAProxy"),
    ),
    NodeTheme(
        "Frontend", "Web", "CSS, components, accessibility.", 8, "tech", "javascript",
        split_words(
            "state shared by many components | focus management | dark mode | form validation |"
            " layout shift | translations | CSS specificity | server rendering | offline use"),
        split_words("React | Vue | Svelte | Tailwind | Storybook | htmx | Lit"),
    ),
    NodeTheme(
        "PostgreSQL", "Data", "Queries, plans, vacuum and replication.", 9, "tech", "sql",
        split_words(
            "slow COUNT queries | deep OFFSET pagination | lock timeouts | table bloat | partial"
            " indexes | zero-downtime migrations | JSONB columns | connection limits | upserts |"
            " full-text ranking"),
        split_words("pgbouncer | EXPLAIN | pg_stat_statements | Alembic | psycopg | pgBackRest"),
    ),
    NodeTheme(
        "SQLite", "Data", "Small, fast, reliable: choose all three.", 4, "tech", "sql",
        split_words("\"database is locked\" errors | WAL files that grow | partial indexes | FTS5"
                    " tokenizers | backups of a live file | foreign keys | type affinity"),
        split_words("FTS5 | Litestream | the sqlite3 shell | sqlite-utils | WAL mode"),
    ),
    NodeTheme(
        "Search and Caching", "Data", "Finding things, and not computing them twice.", 4, "tech",
        "python",
        split_words(
            "cache invalidation | stampedes after a deploy | stemming | search in Chinese and"
            " Japanese | eviction policies | stale reads | relevance tuning"),
        split_words("Redis | OpenSearch | Memcached | Meilisearch | Varnish | Tantivy"),
    ),
    NodeTheme(
        "Linux", "Operations", "Shells, kernels, dotfiles.", 7, "tech", "bash",
        split_words(
            "systemd units that will not stop | swap on small machines | file descriptor limits |"
            " cron jobs that overlap | disk latency | SSH agents | log rotation | DNS caching"),
        split_words("systemd | strace | tmux | rsync | perf | journalctl | fish"),
    ),
    NodeTheme(
        "Containers", "Operations", "Images, orchestration, and what leaks out of them.", 6,
        "tech", "docker",
        split_words("image size | build caches | secrets at build time | zombie processes |"
               " health checks"
                    " | volumes and permissions | rolling updates | local development"),
        split_words("Docker | Podman | Kubernetes | Compose | Helm | BuildKit | Nomad"),
    ),
    NodeTheme(
        "CI and Deployment", "Operations", "From a commit to production.", 5, "tech", "yaml",
        split_words(
            "flaky pipelines | deploying on Fridays | rollbacks | caching dependencies | preview"
            " environments | feature flags | monorepo builds | release notes"),
        split_words("GitLab CI | Ansible | Terraform | Jenkins | Buildkite | Argo CD"),
    ),
    NodeTheme(
        "Monitoring", "Operations", "Logs, metrics, traces, sleep.", 4, "tech", "yaml",
        split_words(
            "alert fatigue | cardinality explosions | structured logs | tracing across queues |"
            " on-call rotations | service level objectives | dashboards nobody opens"),
        split_words("Prometheus | Grafana | OpenTelemetry | Loki | Sentry | Zabbix"),
    ),
    NodeTheme(
        "Security", "Operations", "Defence, disclosure, and boring cryptography.", 4, "tech",
        "python",
        split_words(
            "password hashing | session fixation | dependency audits | CSRF on JSON endpoints |"
            " secrets in Git history | sanitizing user HTML | two-factor recovery |"
               " token storage"),
        split_words("argon2 | OWASP ZAP | age | Vault | nh3 | WebAuthn | fail2ban"),
    ),
    NodeTheme(
        "Testing", "Craft", "Tests that fail for one reason only.", 5, "tech", "python",
        split_words(
            "tests that depend on the clock | slow fixtures | mocking too much | property-based"
            " tests | coverage targets | browser tests | test data builders | parallel tests"),
        split_words("hypothesis | pytest-xdist | Selenium | k6 | mutation testing | WebTest"),
    ),
    NodeTheme(
        "Architecture", "Craft", "Boxes, arrows, and the reasons for them.", 5, "tech", "text",
        split_words("splitting a monolith | event sourcing | module boundaries | shared databases |"
                    " background work | multi-tenancy | legacy code nobody owns | naming"),
        split_words("ADRs | hexagonal architecture | CQRS | message queues | domain events"),
    ),
    NodeTheme(
        "Editors and Tools", "Craft", "The things we type into.", 5, "tech", "text",
        split_words("remote editing | key bindings | language servers that eat memory | snippets |"
                    " merge conflicts | code review on a phone | dotfiles on five machines"),
        split_words("Vim | Emacs | VS Code | Helix | Zed | ripgrep | fzf | lazygit"),
    ),
    NodeTheme(
        "Show and Tell", "Community", "Made something? Show it here.", 8, "show", "python",
        split_words("reading lists | home weather stations | log files | recipe collections | bus"
                    " departures | static sites | chess openings | invoices | flash cards"),
        split_words("a Raspberry Pi | SQLite | htmx | a weekend | Rust | Python | WebAssembly"),
    ),
    NodeTheme(
        "Jobs", "Community", "Offers and searches. Say **where**, say **what it pays**.", 5, "jobs",
        "text",
        split_words(
            "backend engineer | data engineer | site reliability engineer | frontend developer |"
            " platform engineer | engineering manager | security engineer | working student"),
        split_words("Python | Go | Rust | PostgreSQL | Kubernetes | TypeScript | Elixir"),
    ),
    NodeTheme(
        "Meetups", "Community", "Where to meet the others.", 3, "meetup", "text",
        split_words("lightning talks | a hack evening | a code retreat | a book club | a beginners'"
                    " workshop | a conference party | pair programming"),
        split_words("Python | Rust | PostgreSQL | open hardware | web accessibility | Go"),
    ),
    NodeTheme(
        "Off-topic", "Community", "Coffee, chairs, careers, everything else.", 7, "chat", "text",
        split_words(
            "standing desks | burnout | learning a language at 40 | side projects | mechanical"
            " keyboards | remote work with children | imposter syndrome | reading papers"),
        split_words(
            "a four-day week | noise cancelling headphones | paper notebooks |"
            " bike commuting"
        ),
    ),
    NodeTheme(
        "Feedback", "Community", "About this forum itself.", 2, "feedback", "text",
        split_words(
            "the search | e-mail digests | code highlighting | the mobile layout | dark mode |"
            " moderation | the level badges | notification settings"),
        split_words("the API | the RSS feed | keyboard shortcuts | the Markdown editor"),
    ),
)  # fmt: skip
"""The nodes, the first shown first."""
