-- Sends the requests of a file over and over, and prints one line of JSON at the end.
-- Arguments: the file, a Lua chunk that returns {{method, path, headers, body}, ...}.

local requests, position = {}, 0

function init(arguments)
  for number, plan in ipairs(dofile(arguments[1])) do
    requests[number] = wrk.format(plan[1], plan[2], plan[3], plan[4])
  end
end

function request()
  position = position % #requests + 1
  return requests[position]
end

function done(summary, latency)
  local failed = summary.errors
  local errors = failed.connect + failed.read + failed.write + failed.timeout + failed.status
  print(string.format(
    '{"requests": %d, "seconds": %f, "errors": %d, "p50": %f, "p99": %f}',
    summary.requests, summary.duration / 1e6, errors,
    latency:percentile(50) / 1e6, latency:percentile(99) / 1e6
  ))
end
