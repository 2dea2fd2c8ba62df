"""The one script by which sessions change in Redis: it compares, writes and tells in one step.

KEYS: the session, its round's votes, and what is left when it is gone. All three have the session
id as hash tag, so they lie on one node of a cluster. Plain Redis 7; no module.
"""

SCRIPT = """
local session, votes, ended = KEYS[1], KEYS[2], KEYS[3]
local operation, remembered = ARGV[1], tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function head(done)
  local told = redis.call('HMGET', session, 'owner', 'round', 'closed', 'request')
  local status = 'open'
  if not told[1] then
    told = redis.call('HMGET', ended, 'owner', 'round', 'closed', 'request')
    if not told[1] then return {0} end
    status = redis.call('HGET', ended, 'status')
  end
  return {done, told[1], status, told[2], told[3] or '0', told[4] or ''}
end

local function answer(cast)
  local told = head(1)
  for _, part in ipairs(cast) do table.insert(told, part) end
  return told
end

local function live_on(ttl)
  redis.call('PEXPIRE', session, ttl)
  redis.call('PEXPIRE', votes, ttl)
  redis.call('PEXPIRE', ended, ttl + remembered)
end

if operation == 'create' then
  local owner, state, ttl = ARGV[3], ARGV[4], tonumber(ARGV[5])
  if redis.call('EXISTS', session, ended) > 0 then return {0} end
  redis.call('HSET', session, 'owner', owner, 'round', 1, 'closed', 0, 'state', state)
  redis.call('HSET', ended, 'owner', owner, 'round', 1, 'status', 'expired')
  live_on(ttl)
  return head(1)
end

local at = redis.call('HMGET', session, 'round', 'closed', 'worker', 'leased_until')
local stands = at[1] == ARGV[3]

if operation == 'record' then
  local ttl, closes, request, worker, lease = tonumber(ARGV[4]), ARGV[5], ARGV[6], ARGV[7], ARGV[8]
  if not stands or at[2] ~= '0' then return head(0) end
  for place = 9, #ARGV, 2 do
    if ARGV[place + 1] == '' then
      redis.call('HDEL', votes, ARGV[place])
    else
      redis.call('HSET', votes, ARGV[place], ARGV[place + 1])
    end
  end
  if closes == '1' then
    redis.call('HSET', session, 'closed', 1, 'request', request, 'worker', worker,
      'leased_until', now + tonumber(lease))
  end
  live_on(ttl)
  return answer(redis.call('HGETALL', votes))
end

if operation == 'claim' then
  local worker, lease = ARGV[4], tonumber(ARGV[5])
  if not stands or at[2] ~= '1' then return head(0) end
  if at[3] ~= worker and tonumber(at[4]) > now then return head(0) end
  redis.call('HSET', session, 'worker', worker, 'leased_until', now + lease)
  return head(1)
end

if operation == 'publish' then
  local state, ttl = ARGV[4], tonumber(ARGV[5])
  if not stands or at[2] ~= '1' then return head(0) end
  local cast = redis.call('HGETALL', votes)
  redis.call('HSET', session, 'round', at[1] + 1, 'closed', 0, 'state', state)
  redis.call('HSET', ended, 'round', at[1] + 1)
  redis.call('DEL', votes)
  live_on(ttl)
  return answer(cast)
end

if operation == 'end' then
  if not stands then return head(0) end
  local cast = redis.call('HGETALL', votes)
  redis.call('HSET', ended, 'status', ARGV[4])
  redis.call('DEL', session, votes)
  redis.call('PEXPIRE', ended, remembered)
  return answer(cast)
end

return redis.error_reply('unknown operation ' .. operation)
"""
