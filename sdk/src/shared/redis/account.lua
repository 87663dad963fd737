-- The account of one bucket: the arithmetic of `tollgate::ledger`, on the store's own clock.
--
-- KEYS[1]  the hash of the bucket
-- ARGV     command, channel prefix, worker, guessed maximum, guessed rate, then by command:
--   bid     lease in µs, number of the first lease, whether to stay in the queue (1 or 0), and for
--           each call: cost, spare, µs waited, µs it gives way, µs not to go before, most in flight
--   settle  lease number ('' for a call without), end (released | actual | nothing | unknown),
--           points charged, then maximum, available and rate of the answer ('' where missing)
--   read    nothing
--
-- Fields: t stamp in µs, l level, m maximum, r restore rate, f points in flight, n calls in flight,
-- c charged and u refunded in all, s calls granted, a newest answered, k limits known, i when they
-- were told, p first grant while unknown, e earliest and x latest end of a lease, w waiting,
-- y throttles of minute z, o of the minute before. L<worker>:<number> is a lease, W<worker> a place
-- in the queue, both packed.
--
-- All arithmetic is in points and µs. The level is what the bucket would hold had no call in flight
-- been charged.

local NOISE = 1e-6
local LANDS_WITHIN = 1e6        -- a call sent this long ago has been charged, if it ever is
local FIRST_ANSWER_WITHIN = 1e6 -- so long one call of unknown limits holds up the others
local LIMITS_HOLD_FOR = 60e6    -- later a call that they stop may ask the server, one at a time
local SLOWEST = 2000            -- a bucket that takes more seconds to fill stops every call
local GRACE = 250e3             -- who does not come when called is passed by after this
local GONE = 30e6               -- and loses its place after this
local MARGIN = 600e3            -- ms that a key outlives the last moment at which it matters

local key, command, prefix, worker = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
local SCALARS = { 't', 'l', 'm', 'r', 'f', 'n', 'c', 'u', 's', 'a', 'k', 'i', 'p', 'e', 'x', 'w', 'y', 'z', 'o' }

local time = redis.call('TIME')
local clock = time[1] * 1e6 + time[2]

-- State ---------------------------------------------------------------------------------------
local state, stored = {}, {}
local values = redis.call('HMGET', key, unpack(SCALARS))
local found = values[1] and true or false
for index, name in ipairs(SCALARS) do
  stored[name] = tonumber(values[index] or nil)
  state[name] = stored[name] or 0
end
if not found then
  state.m, state.r = tonumber(ARGV[4]), tonumber(ARGV[5])
  state.l, state.t, state.i = state.m, clock, clock
end
-- The clock of a store can step back, after a failover for example; the account never does.
local now = math.max(clock, state.t)

local function text(value) return string.format('%.17g', value) end

local leases, places -- read when they are needed

-- An entry is six numbers, packed: reading a thousand as text would take 10 ms.
local SIX = '<dddddd'

local function unpack_lease(entry)
  local cost, number, sent, ends, charged, refunded = struct.unpack(SIX, entry)
  return { cost = cost, number = number, sent = sent, ends = ends, charged = charged, refunded = refunded }
end

local function load_entries()
  if leases then return end
  leases, places = {}, {}
  local all = redis.call('HGETALL', key)
  for index = 1, #all, 2 do
    local field = all[index]
    local kind, name = string.sub(field, 1, 1), string.sub(field, 2)
    if kind == 'L' then leases[name] = unpack_lease(all[index + 1])
    elseif kind == 'W' then
      local cost, spare, rank, not_before, in_flight, due = struct.unpack(SIX, all[index + 1])
      places[name] = { worker = name, cost = cost, spare = spare, rank = rank, not_before = not_before, in_flight = in_flight, due = due }
    end
  end
end

local function write_place(place)
  local packed = struct.pack(SIX, place.cost, place.spare, place.rank, place.not_before, place.in_flight, place.due)
  redis.call('HSET', key, 'W' .. place.worker, packed)
end

-- Time ----------------------------------------------------------------------------------------
-- The account from `from` on if nothing is settled: an iterator of spans (from, to, level, cap),
-- of which the last has no end. A span ends where a call counts as charged: from there on what it
-- took restores again, even under a full bucket.
local function spans(from, level)
  local cap, landings = state.m, {}
  -- Below the maximum the cap does not matter: then no lease need be looked at.
  if state.f > 0 then
    load_entries()
    for _, lease in pairs(leases) do
      local lands = lease.sent + LANDS_WITHIN
      if lands <= from then cap = cap + lease.cost
      else landings[#landings + 1] = { at = lands, cost = lease.cost } end
    end
    table.sort(landings, function(a, b) return a.at < b.at end)
  end
  local index = 0
  return function()
    if not from then return nil end
    local span = { from = from, level = math.min(level, cap), cap = cap }
    index = index + 1
    local landing = landings[index]
    if landing then
      span.to = landing.at
      level = math.min(span.level + state.r * (landing.at - from) / 1e6, cap)
      from, cap = landing.at, cap + landing.cost
    else
      from = nil
    end
    return span
  end
end

local function restore()
  local raised = state.l + state.r * (now - state.t) / 1e6
  if raised > state.m then
    for span in spans(state.t, state.l) do
      if not span.to or now <= span.to then
        raised = math.min(span.level + state.r * (now - span.from) / 1e6, span.cap)
        break
      end
    end
  end
  state.l, state.t = raised, now
end

-- No more than the bucket can hold; what a refund beyond that restores is lost.
local function cap_level()
  if state.l > state.m then state.l = spans(now, state.l)().level end
end

-- When the level reaches `need`, if time alone brings it there.
local function reaches(need)
  if state.l >= need - NOISE then return now end
  if need <= state.m then return now + math.ceil((need - state.l) / state.r * 1e6) end
  for span in spans(now, state.l) do
    if need <= span.cap + NOISE then
      local at = span.from + math.ceil(math.max(0, need - span.level) / state.r * 1e6)
      if not span.to or at <= span.to then return at end
    end
  end
  return nil
end

-- Leases --------------------------------------------------------------------------------------
local function close(name, lease, charged)
  state.l = state.l - charged
  state.f, state.n = math.max(0, state.f - lease.cost), math.max(0, state.n - 1)
  state.c, state.u = state.c + charged, state.u + math.max(0, lease.cost - charged)
  redis.call('HDEL', key, 'L' .. name)
  if leases then leases[name] = nil end
  if state.n == 0 then state.f, state.e, state.x = 0, 0, 0 end
end

-- A lease that ran out belonged to a worker that crashed: the server may have charged its call, so
-- it counts as spent, as every lost answer does.
local function expire()
  if state.e == 0 or now < state.e then return end
  load_entries()
  local earliest = 0
  for name, lease in pairs(leases) do
    if lease.ends <= now then close(name, lease, lease.cost)
    elseif earliest == 0 or lease.ends < earliest then earliest = lease.ends end
  end
  state.e = earliest
end

local function grant(number, cost, ends)
  if state.k == 0 and state.n == 0 then state.p = now end
  state.s, state.f, state.n = state.s + 1, state.f + cost, state.n + 1
  local name = worker .. ':' .. number
  local lease = { cost = cost, number = state.s, sent = now, ends = ends, charged = state.c, refunded = state.u }
  if leases then leases[name] = lease end
  redis.call('HSET', key, 'L' .. name, struct.pack(SIX, cost, state.s, now, ends, state.c, state.u))
  if state.e == 0 or ends < state.e then state.e = ends end
  if ends > state.x then state.x = ends end
end

-- The queue -----------------------------------------------------------------------------------
local function leave_queue(name)
  if redis.call('HDEL', key, 'W' .. name) == 1 then state.w = math.max(0, state.w - 1) end
  if places then places[name] = nil end
end

-- Of two calls of one rank the names of their workers decide, so that they do not wait for each other.
local function is_before(a, b)
  if a.rank == b.rank then return a.worker < b.worker end
  return a.rank < b.rank
end

-- Who waits, in no order, without those who did not come when called.
local function queue()
  if state.w == 0 then return {} end
  load_entries()
  local line, gone = {}, {}
  for name, place in pairs(places) do
    if now > place.due + GONE then gone[#gone + 1] = name
    elseif now <= place.due + GRACE then line[#line + 1] = place end
  end
  for _, name in ipairs(gone) do leave_queue(name) end
  return line
end

-- When a call that the limits stop may ask for them, if no other does.
local function asks_at() return state.n == 0 and state.i + LIMITS_HOLD_FOR or math.huge end

-- When a call that ranks behind `ahead` points can go, by time alone; nil if only a settled call
-- helps. What is kept free for others is not kept from a call that has aged, nor can it lock out a
-- call that the full bucket would serve.
local function ready_at(call, ahead)
  if state.n >= call.in_flight then return nil end
  local need = call.cost + ahead + state.f
  local at = reaches(need)
  if call.spare > 0 and now < call.rank then
    local spared = reaches(need + math.min(call.spare, math.max(0, state.m - call.cost)))
    local aged = at and math.max(at, call.rank)
    at = spared and (aged and math.min(spared, aged) or spared) or aged
  end
  if call.cost > state.m + NOISE or state.m / state.r > SLOWEST then
    at = math.min(at or math.huge, asks_at())
  end
  if not at or at == math.huge then return nil end
  if state.k == 0 and state.n > 0 then at = math.max(at, state.p + FIRST_ANSWER_WITHIN) end
  return math.max(at, call.not_before)
end

-- Calls the head of the queue if it can go earlier than it was told.
local function call_head()
  local head
  for _, place in ipairs(queue()) do
    if not head or is_before(place, head) then head = place end
  end
  if not head then return end
  local at = head.cost > state.m + NOISE and now or ready_at(head, 0)
  if at and at < head.due - 1000 then
    head.due = at
    write_place(head)
    redis.call('PUBLISH', prefix .. head.worker, string.format('%.0f %s', math.max(0, at - clock), key))
  end
end

-- Answers -------------------------------------------------------------------------------------
local function learn(maximum, rate)
  if maximum then state.m, state.i = maximum, now end
  if rate then state.r = rate end
end

-- Moves the level into the bounds that the answer to `lease` sets.
local function correct(lease, available, throttled)
  local slack = available % 1 == 0 and 1 or NOISE
  local charged, refunded = state.c - lease.charged, state.u - lease.refunded
  local newest = lease.number > state.a
  if state.k == 0 then
    state.l = available - charged
  else
    local ceiling = available + state.f
    if not (throttled and newest) then
      ceiling = ceiling + slack + refunded + state.r * (now - lease.sent) / 1e6
    end
    local floor = available - slack - charged
    if state.l > ceiling then state.l = ceiling
    -- An older answer than the newest cannot raise the level: it misses what younger calls took.
    elseif state.l < floor and newest then state.l = floor end
  end
  if newest then state.a = lease.number end
  state.k = 1
end

-- A call that had no lease here: sent while the store was away, or its lease was lost.
local function observe(available, maximum, rate)
  learn(maximum, rate)
  if not available then return end
  available = math.max(-state.m, math.min(state.m, available))
  local ceiling = available + state.f
  if state.k == 0 or state.l > ceiling then state.l = ceiling end
  state.k = 1
end

local function count_throttle()
  local minute = math.floor(now / 60e6)
  if state.z ~= minute then
    state.o = state.z == minute - 1 and state.y or 0
    state.y, state.z = 0, minute
  end
  state.y = state.y + 1
end

-- Throttles of the last 60 seconds, as far as two counts tell.
local function throttles()
  local minute = math.floor(now / 60e6)
  local rest = 1 - now % 60e6 / 60e6
  if state.z == minute then return state.y + state.o * rest end
  return state.z == minute - 1 and state.y * rest or 0
end

-- Commands ------------------------------------------------------------------------------------
local function standing()
  local figures = { state.l - state.f, state.m, state.r, state.f, state.n, state.k, state.w, throttles() }
  for index, value in ipairs(figures) do figures[index] = text(value) end
  return table.concat(figures, ' ')
end

local function save()
  local changed = {}
  for _, name in ipairs(SCALARS) do
    if state[name] ~= stored[name] then
      changed[#changed + 1] = name
      changed[#changed + 1] = text(state[name])
    end
  end
  if #changed > 0 then redis.call('HSET', key, unpack(changed)) end
  -- A key that vanishes means "unknown": it may not while the bucket is not full, or calls run.
  local full = math.max(0, state.m - state.l + state.f) / state.r * 1e3
  local ends = math.max(0, state.x - now) / 1e3
  redis.call('PEXPIRE', key, string.format('%.0f', math.min(full + ends + MARGIN, 1e12)))
end

local function bid()
  local lease, first, stay = tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8] == '1'
  leave_queue(worker)
  local line = queue()
  local granted, outcome, in_turn, alone = 0, 'done', 0, 0
  for index = 9, #ARGV, 6 do
    local call = {
      worker = worker,
      cost = tonumber(ARGV[index]),
      spare = tonumber(ARGV[index + 1]),
      rank = now - tonumber(ARGV[index + 2]) + tonumber(ARGV[index + 3]),
      not_before = clock + tonumber(ARGV[index + 4]),
      in_flight = tonumber(ARGV[index + 5]),
    }
    if call.cost > state.m + NOISE and asks_at() > now then
      outcome = 'never'
      break
    end
    local ahead, overdue = 0, 0
    for _, place in ipairs(line) do
      if is_before(place, call) then
        ahead = ahead + place.cost
        if place.due < now then overdue = math.max(overdue, place.due + GRACE) end
      end
    end
    local at = ready_at(call, ahead)
    if ahead == 0 and at and at <= now then
      grant(string.format('%.0f', first + granted), call.cost, now + lease)
      granted = granted + 1
    else
      outcome = 'wait'
      local by_itself = ready_at(call, 0)
      if at and overdue > 0 then at = math.max(at, overdue) end
      -- On the store's clock as it is, not as it may have to catch up; 30 years stand for ever.
      in_turn = at and math.min(math.max(1, at - clock), 1e15) or -1
      alone = by_itself and math.min(math.max(0, by_itself - clock), 1e15) or -1
      if stay then
        call.due = at or now + GONE
        if places then places[worker] = call end
        state.w = state.w + 1
        write_place(call)
      end
      break
    end
  end
  return string.format('%d %s %.0f %.0f ', granted, outcome, in_turn, alone)
end

local function settle()
  local ending, charged = ARGV[7], tonumber(ARGV[8])
  local maximum, available, rate = tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11])
  local name = worker .. ':' .. ARGV[6]
  local entry = ARGV[6] ~= '' and redis.call('HGET', key, 'L' .. name)
  if not entry then return observe(available, maximum, rate) end
  local lease = unpack_lease(entry)
  local before = { charged = state.c, refunded = state.u }
  -- Of a lost answer nobody knows: as charged in full.
  close(name, lease, ending == 'unknown' and lease.cost or charged)
  if ending == 'released' then return end
  if lease.number > state.a then learn(maximum, rate) end
  if available then
    available = math.max(-state.m, math.min(state.m, available))
    if ending == 'nothing' and available < lease.cost then count_throttle() end
    -- Its own charge and refund are in its answer already.
    lease.charged = lease.charged + state.c - before.charged
    lease.refunded = lease.refunded + state.u - before.refunded
    correct(lease, available, ending == 'nothing')
  elseif ending ~= 'unknown' then
    state.k = 1
  end
end

restore()
if command == 'read' then return found and standing() or '' end
expire()
local reply = ''
if command == 'bid' then reply = bid() else settle() end
cap_level()
call_head()
save()
return reply .. standing()
