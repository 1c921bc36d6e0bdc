/** A record that is read again changes nothing. */
export const WRITE_REFUSED = `
INSERT INTO penstock_router.refused_events AS r
  (source, id, workspace, at, "index", message_id, code, path, reason, users, sealed, is_cut, count)
SELECT source, id, workspace, at, "index", message_id, code, path, reason,
       string_to_array(users, ','), sealed, is_cut, count
  FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::int[], $6::text[], $7::text[], $8::text[],
              $9::text[], $10::text[], $11::text[], $12::boolean[], $13::int[])
    AS e (source, id, workspace, at, "index", message_id, code, path, reason, users, sealed, is_cut, count)
ON CONFLICT (source, id) DO NOTHING`;

/** Reads, of each source, one entry of the index beyond those that are kept. */
export const PRUNE_REFUSED = `
DELETE FROM penstock_router.refused_events r
 USING unnest($1::text[]) AS s (source)
 CROSS JOIN LATERAL (
   SELECT o.at, o.id FROM penstock_router.refused_events o WHERE o.source = s.source
    ORDER BY o.at DESC, o.id DESC OFFSET $2 LIMIT 1) oldest
 WHERE r.source = s.source AND (r.at, r.id) <= (oldest.at, oldest.id)`;

/** At most as many rows as are kept of a source. */
const WANTED = `
  FROM penstock_router.refused_events
 WHERE source = $1 AND ($2::text IS NULL OR code = $2) AND ($3::timestamptz IS NULL OR at >= $3)
   AND ($4::timestamptz IS NULL OR at < $4) AND workspace = $5`;

export const LIST_REFUSED = `
SELECT id, (extract(epoch FROM at) * 1000)::float8 AS at_ms, "index", message_id, code, path, reason, sealed, is_cut,
       count ${WANTED}
   AND ($6::bigint IS NULL OR (at, id) < (to_timestamp($6::bigint / 1000.0)::timestamptz(3), $7::text))
 ORDER BY at DESC, id DESC LIMIT $8`;

export const COUNT_REFUSED = `
SELECT code, sum(count)::float8 AS count ${WANTED} GROUP BY code ORDER BY 2 DESC, code`;

export const KEPT_USERS = `
SELECT source, id, workspace, users FROM penstock_router.refused_events
 WHERE (source, id) > ($1, $2) AND users <> '{}' ORDER BY source, id LIMIT $3`;

export const ERASE_REFUSED = `
UPDATE penstock_router.refused_events r SET sealed = NULL, message_id = NULL, users = '{}'
  FROM unnest($1::text[], $2::text[]) AS e (source, id)
 WHERE r.source = e.source AND r.id = e.id`;
