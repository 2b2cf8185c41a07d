// What runs inside Redis. The keys of those that change or list begin with the two sorted sets, `keys` and `due`.

/** Key: a value. A script, since a client may send a plain read to a replica, which may be behind. */
export const LOAD = "return redis.call('GET', KEYS[1])";

/** A member goes out of both sets, or into them: it is due a second after its value has expired. */
const REMEMBER = `
local function remember(member, now, ttl)
  redis.call('ZADD', KEYS[1], 0, member)
  if ttl == '' then
    redis.call('ZREM', KEYS[2], member)
  else
    redis.call('ZADD', KEYS[2], now + ttl + 1, member)
  end
end
`;

/**
 * Keys: the values, the head last. Arguments: the new version, what the head's must be (a version, `none`, or nothing
 * where it does not matter), then of each value its key without the prefix, its seconds to live or nothing, its text.
 * Gives 1, or nothing if the head is another. A head that has the new version already was saved by this very call,
 * which a client has sent again since it got no answer.
 */
export const SAVE = `${REMEMBER}
local version, expect = ARGV[1], ARGV[2]
if expect ~= '' then
  local found = redis.call('GETRANGE', KEYS[#KEYS], 0, #version - 1)
  if found == version then return 1 end
  if found ~= (expect == 'none' and '' or expect) then return false end
end
local now = tonumber(redis.call('TIME')[1])
for at = 3, #KEYS do
  local base = (at - 2) * 3
  local ttl = ARGV[base + 1]
  if ttl == '' then
    redis.call('SET', KEYS[at], ARGV[base + 2])
  else
    redis.call('SET', KEYS[at], ARGV[base + 2], 'EX', ttl)
  end
  remember(ARGV[base], now, ttl)
end
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 32)) do
  redis.call('ZREM', KEYS[1], gone)
  redis.call('ZREM', KEYS[2], gone)
end
return 1
`;

/**
 * Arguments: where the keys begin and end, how many. Gives the keys, each behind `=`, or `~` if its value has expired.
 */
export const LIST = `
local now = tonumber(redis.call('TIME')[1])
local keys = redis.call('ZRANGEBYLEX', KEYS[1], ARGV[1], ARGV[2], 'LIMIT', 0, ARGV[3])
for at, key in ipairs(keys) do
  local due = redis.call('ZSCORE', KEYS[2], key)
  keys[at] = (due and tonumber(due) <= now and '~' or '=') .. key
end
return keys
`;

/** Keys: the values. Arguments: their keys without the prefix. */
export const DELETE = `
for at, member in ipairs(ARGV) do
  redis.call('DEL', KEYS[at + 2])
  redis.call('ZREM', KEYS[1], member)
  redis.call('ZREM', KEYS[2], member)
end
return 1
`;
