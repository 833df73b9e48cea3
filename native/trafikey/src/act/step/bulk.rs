// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Commands over many keys, members or fields, in calls that can be spread: the server's Lua spreads fewer than 8,000.
//!
//! What fits into one call is spread as it is; only what does not is copied, part by part.

use crate::runtime::*;

/// Keys, members, or fields and values of one call.
pub const SPREAD_MAX: i64 = 400;

/// Removes members from a sorted set.
pub fn remove_members<'a>(s: &Server<'a>, set: Text<'a>, members: List<'a, Text<'a>>) -> Act<()> {
    let stop: i64 = members.len();
    if stop > 0 && stop <= SPREAD_MAX {
        s.zrem(s.spread(&[Arg::Text(set)], members))?;
        return Ok(());
    }
    let mut part: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    {
        let mut i: i64 = 0;
        while i < stop {
            part.push(members.get(i));
            if part.len() >= SPREAD_MAX || i == stop - 1 {
                s.zrem(s.spread(&[Arg::Text(set)], part))?;
                part = s.list::<Text<'a>>(&[]);
            }
            i += 1;
        }
    }
    Ok(())
}

/// Writes fields and values in turn into a hash.
pub fn write_pairs<'a>(s: &Server<'a>, key: Text<'a>, pairs: List<'a, Text<'a>>) -> Act<()> {
    let stop: i64 = pairs.len();
    if stop > 0 && stop <= SPREAD_MAX {
        s.hset(s.spread(&[Arg::Text(key)], pairs))?;
        return Ok(());
    }
    let mut part: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    {
        let mut i: i64 = 0;
        while i < stop {
            part.push(pairs.get(i));
            if part.len() >= SPREAD_MAX || i == stop - 1 {
                s.hset(s.spread(&[Arg::Text(key)], part))?;
                part = s.list::<Text<'a>>(&[]);
            }
            i += 1;
        }
    }
    Ok(())
}

/// Deletes keys; answers how many there were. `UNLINK` leaves giving the memory back to a thread of the server.
pub fn delete_keys<'a>(s: &Server<'a>, command: Text<'a>, doomed: List<'a, Text<'a>>) -> Act<i64> {
    let stop: i64 = doomed.len();
    if stop > 0 && stop <= SPREAD_MAX {
        return Ok(s.number(command, s.spread(&[], doomed))?);
    }
    let mut part: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let mut deleted: i64 = 0;
    {
        let mut i: i64 = 0;
        while i < stop {
            part.push(doomed.get(i));
            if part.len() >= SPREAD_MAX || i == stop - 1 {
                deleted += s.number(command, s.spread(&[], part))?;
                part = s.list::<Text<'a>>(&[]);
            }
            i += 1;
        }
    }
    return Ok(deleted);
}