"""Code that people post: a few shapes for each language, with slots for names and numbers."""

SNIPPETS: dict[str, tuple[str, ...]] = {
    "python": (
        "def «verb»_«noun»(«noun»s, limit=«small»):\n    for «noun» in «noun»s[:limit]:\n"
        "        if not «noun».ready:\n            continue\n        yield «verb»(«noun»)",
        "async def «verb»_all(«noun»s):\n    async with asyncio.TaskGroup() as group:\n"
        "        for «noun» in «noun»s:\n            group.create_task(«verb»(«noun»))",
        "@dataclass(frozen=True)\nclass «type»:\n    name: str\n    «noun»s: list[str]\n"
        "    retries: int = «small»",
        "with open(path, newline=\"\") as file:\n    rows = csv.DictReader(file)\n"
        "    total = sum(int(row[\"«noun»\"]) for row in rows)\nprint(f\"{total:,}\")",
        "Traceback (most recent call last):\n  File \"«noun»s.py\", line «number», in «verb»\n"
        "    return self._«noun»s[key]\nKeyError: '«noun»_«small»'",
        "def test_«verb»_is_idempotent(db):\n    first = «verb»(db, \"«noun»\")\n"
        "    second = «verb»(db, \"«noun»\")\n    assert first == second",
    ),
    "rust": (
        "fn «verb»(«noun»s: &[«type»]) -> Result<usize, «type»Error> {\n"
        "    «noun»s.iter().filter(|it| it.size > «number»).map(|it| it.«verb»()).sum()\n}",
        "#[derive(Debug, thiserror::Error)]\npub enum «type»Error {\n"
        "    #[error(\"no «noun» called {0}\")]\n    Missing(String),\n"
        "    #[error(transparent)]\n    Io(#[from] std::io::Error),\n}",
        "error[E0502]: cannot borrow `«noun»s` as mutable because it is also"
        " borrowed as immutable\n"
        "  --> src/«noun».rs:«number»:9",
        "let «noun» = tokio::time::timeout(Duration::from_secs(«small»), «verb»(&client)).await??;",
    ),
    "go": (
        "func («noun» *«type») «type_verb»(ctx context.Context) error {\n"
        "\tselect {\n\tcase <-ctx.Done():\n\t\treturn ctx.Err()\n"
        "\tcase it := <-«noun».queue:\n\t\treturn «noun».handle(it)\n\t}\n}",
        "if err := «verb»(«noun»); err != nil {\n"
        "\treturn fmt.Errorf(\"«verb» %q: %w\", «noun».Name, err)\n}",
        "panic: runtime error: index out of range [«small»] with length «small»\n\n"
        "goroutine «number» [running]:\nmain.«verb»(...)\n\t/app/«noun».go:«number» +0x1a4",
        "for _, tc := range []struct{ in string; want int }{\n"
        "\t{\"«noun»\", «small»},\n\t{\"\", 0},\n} {\n\tt.Run(tc.in, func(t *testing.T) {\n"
        "\t\tif got := «verb»(tc.in); got != tc.want {\n\t\t\tt.Errorf(\"got %d\", got)\n\t\t}\n"
        "\t})\n}",
    ),
    "javascript": (
        "const «noun»s = await Promise.allSettled(\n"
        "  urls.map((url) => «verb»(url, { signal })),\n);",
        "export function debounce(«verb», ms = «number») {\n  let timer;\n"
        "  return (...args) => {\n    clearTimeout(timer);\n"
        "    timer = setTimeout(() => «verb»(...args), ms);\n  };\n}",
        "Uncaught TypeError: Cannot read properties of undefined (reading '«noun»')\n"
        "    at «verb» («noun».js:«number»:17)",
        "<button aria-expanded=\"false\" data-«noun»=\"«small»\">\n  Show «noun»s\n</button>",
    ),
    "typescript": (
        "type «type» =\n  | { state: \"loading\" }\n  | { state: \"ready\"; «noun»s: string[] }\n"
        "  | { state: \"failed\"; reason: Error };",
        "function is«type»(value: unknown): value is «type» {\n"
        "  return typeof value === \"object\" && value !== null && \"«noun»\" in value;\n}",
        "error TS2345: Argument of type 'string | undefined' is not assignable to parameter of type"
        " 'string'.",
    ),
    "ruby": (
        "class «type»Job < ApplicationJob\n  retry_on Net::ReadTimeout, attempts: «small»\n\n"
        "  def perform(«noun»)\n    «noun».«verb»!\n  end\nend",
        "«type».includes(:«noun»s).where(active: true).find_each(batch_size: «number») do |it|\n"
        "  it.«verb»\nend",
        "NoMethodError: undefined method `«verb»' for nil:NilClass\n"
        "  app/models/«noun».rb:«number»:in `block in «verb»_all'",
    ),
    "java": (
        "public record «type»(String name, List<String> «noun»s) {\n"
        "    public «type» {\n        «noun»s = List.copyOf(«noun»s);\n    }\n}",
        "try (var scope = Executors.newVirtualThreadPerTaskExecutor()) {\n"
        "    «noun»s.forEach(it -> scope.submit(() -> «verb»(it)));\n}",
        "java.lang.IllegalStateException: «type» is closed\n"
        "\tat org.example.«type».«verb»(«type».java:«number»)",
    ),
    "cpp": (
        "template <typename «type»>\nvoid «verb»(std::span<const «type»> «noun»s) {\n"
        "    for (const auto& it : «noun»s) {\n        if (it.size() > «number») break;\n    }\n}",
        "==4711==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000«number»\n"
        "    #0 in «verb» «noun».cpp:«number»",
        "add_library(«noun» STATIC «noun».cpp)\n"
        "target_compile_features(«noun» PUBLIC cxx_std_20)",
    ),
    "elixir": (
        "def handle_info({:«verb», «noun»}, state) do\n"
        "  {:noreply, Map.update(state, «noun».id, 1, &(&1 + 1))}\nend",
        "«noun»s\n|> Task.async_stream(&«verb»/1, max_concurrency: «small», timeout: «number»)\n"
        "|> Enum.to_list()",
    ),
    "sql": (
        "SELECT id, name\nFROM «noun»s\nWHERE deleted_at IS NULL\n"
        "ORDER BY id DESC\nLIMIT «number»;",
        "CREATE INDEX CONCURRENTLY ix_«noun»s_recent\n    ON «noun»s (created_at DESC, id DESC)\n"
        "    WHERE deleted_at IS NULL;",
        "Limit  (cost=0.43..«number».90 rows=20 width=64)"
        " (actual time=0.031..«small».118 rows=20)\n"
        "  ->  Index Scan using ix_«noun»s_recent on «noun»s",
        "UPDATE «noun»s\nSET replies_count = replies_count + 1\nWHERE id = «number»\n"
        "RETURNING replies_count;",
    ),
    "http": (
        "POST /api/v3/«noun»s HTTP/1.1\nHost: forum.example.org\n"
        "Idempotency-Key: «noun»-«number»\nContent-Type: application/json\n\n"
        "{\"title\": \"«noun»\", \"limit\": «small»}",
        "curl -sS -H \"Authorization: Bearer $TOKEN\" \\\n"
        "  \"https://forum.example.org/api/v3/«noun»s?limit=«small»&offset=«number»\"",
        "HTTP/1.1 429 Too Many Requests\nRetry-After: «number»\n\n{\"error\": \"slow down\"}",
    ),
    "bash": (
        "for file in /var/log/«noun»/*.log; do\n"
        "  [ \"$(stat -c %s \"$file\")\" -gt «number»000 ] && gzip \"$file\"\ndone",
        "[Service]\nExecStart=/usr/local/bin/«noun» --workers «small»\nRestart=on-failure\n"
        "TimeoutStopSec=«small»",
        "$ strace -c -p \"$(pidof «noun»)\"\n% time     calls    errors syscall\n"
        " «small».41     «number»        12 futex",
    ),
    "docker": (
        "FROM debian:bookworm-slim\nRUN --mount=type=cache,target=/var/cache/pip \\\n"
        "    ./install-«noun».sh\nUSER 10001\nCMD [\"«noun»\", \"--port\", \"«number»\"]",
        "COPY --from=build --chown=10001 /out/«noun» /usr/local/bin/\n"
        "HEALTHCHECK --interval=«small»s CMD [\"«noun»\", \"«verb»\", \"--check\"]",
    ),
    "yaml": (
        "services:\n  «noun»:\n    build: .\n    healthcheck:\n"
        "      test: [\"CMD\", \"«verb»\", \"--check\"]\n      interval: «small»s",
        "«verb»:\n  stage: test\n  parallel: «small»\n  script:\n    - make «verb»\n"
        "  artifacts:\n    paths: [«noun»s/]",
        "groups:\n  - name: «noun»s\n    rules:\n      - alert: «type»Slow\n"
        "        expr: histogram_quantile(0.99, rate(«noun»_seconds_bucket[5m])) > 0.«small»\n"
        "        for: «small»m",
    ),
    "text": (
        "«noun»/\n  api/        what others may call\n  core/       no imports from outside\n"
        "  storage/    everything that knows SQL",
        "[2026-03-«small» 09:14:«small»] «noun»: «verb» took «number» ms",
        "today:   web -> «noun» -> database\nwanted:  web -> queue -> «noun» -> database",
    ),
}  # fmt: skip
"""Language → templates. Where a kind of talk has no language of its own, `text`."""

CODE_WORDS: dict[str, tuple[str, ...]] = {
    "verb": ("parse", "load", "render", "merge", "fetch", "publish", "retry", "encode", "sync",
             "validate", "flush", "resolve", "archive", "index", "import_rows", "notify"),
    "type_verb": ("Run", "Close", "Flush", "Wait", "Serve", "Poll"),
    "noun": ("order", "invoice", "session", "message", "user", "report", "photo", "event",
             "ticket", "account", "document", "payment", "sensor", "playlist", "route", "topic"),
    "type": ("Order", "Invoice", "Session", "Message", "Report", "Event", "Ticket", "Document",
             "Payment", "Sensor", "Route", "Job"),
    "small": tuple(str(n) for n in range(2, 60)),
    "number": tuple(str(n) for n in range(64, 990, 7)),
}  # fmt: skip
