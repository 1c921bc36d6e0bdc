/**
 * What a stored delivery is listed by. A trigger reads it from the event, so that routers of version 4, which run until
 * they are replaced, hide nothing; what cannot be read leaves empty texts and the time at which the delivery
 * was stored.
 */
const ABOUT = `
CREATE FUNCTION penstock_router.about(body text, at timestamptz, OUT workspace text, OUT source text, OUT message_id text,
                                      OUT received timestamptz) LANGUAGE plpgsql STABLE AS $$
DECLARE
  line text := split_part(body, E'\\n', 1);
  head json;
BEGIN
  workspace := '';
  source := '';
  message_id := '';
  received := at;
  head := line::json;
  workspace := coalesce(head ->> 1, '');
  source := coalesce(head ->> 2, '');
  message_id := coalesce(head ->> 3, '');
  received := coalesce((substr(body, length(line) + 2)::json ->> 'receivedAt')::timestamptz, at);
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
  NULL;
END $$;

CREATE FUNCTION penstock_router.fill_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT a.workspace, a.source, a.message_id, a.received
    INTO NEW.workspace, NEW.source, NEW.message_id, NEW.received
    FROM (SELECT coalesce((SELECT b.body FROM penstock_router.bodies b
                            WHERE b.partition = NEW.partition AND b."offset" = NEW."offset"), '') AS body) found
   CROSS JOIN LATERAL penstock_router.about(found.body, now()) a;
  RETURN NEW;
END $$;

ALTER TABLE penstock_router.deliveries
  ADD COLUMN workspace text COLLATE "C" NOT NULL DEFAULT '',
  ADD COLUMN source text NOT NULL DEFAULT '',
  ADD COLUMN message_id text NOT NULL DEFAULT '',
  ADD COLUMN received timestamptz(3) NOT NULL DEFAULT '-infinity';
CREATE TRIGGER fill_delivery BEFORE INSERT ON penstock_router.deliveries
  FOR EACH ROW EXECUTE FUNCTION penstock_router.fill_delivery();

UPDATE penstock_router.deliveries d
   SET (workspace, source, message_id, received) = (
     SELECT a.workspace, a.source, a.message_id, a.received
       FROM (SELECT coalesce((SELECT b.body FROM penstock_router.bodies b
                               WHERE b.partition = d.partition AND b."offset" = d."offset"), '') AS body) found
      CROSS JOIN LATERAL penstock_router.about(found.body, d.changed) a);
`;

/** An index for each scope of a list: all of its states and codes are found by skipping from one to the next. */
const LISTS = `
CREATE INDEX deliveries_of_workspace
  ON penstock_router.deliveries (workspace, state, code, received, partition, "offset", pipeline);
CREATE INDEX deliveries_of_pipeline
  ON penstock_router.deliveries (workspace, pipeline, state, code, received, partition, "offset");
CREATE INDEX deliveries_of_lane
  ON penstock_router.deliveries (workspace, lane, state, code, received, partition, "offset", pipeline);

CREATE INDEX audiences_enabled ON penstock_router.audiences USING gin (enabled);
CREATE INDEX audiences_disabled ON penstock_router.audiences USING gin (disabled);
`;

/** Who has seen values of deliveries: a row is written before they are answered. */
const ACCESSES = `
CREATE TABLE penstock_router.accesses (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at              timestamptz(3) NOT NULL DEFAULT now(),
  workspace       text COLLATE "C" NOT NULL,
  actor           text NOT NULL,
  delivery        text NOT NULL,
  request_id      text NOT NULL
);
CREATE INDEX accesses_of_workspace ON penstock_router.accesses (workspace, id);
CREATE INDEX accesses_at ON penstock_router.accesses (at);
`;

/** Stored deliveries can be listed by workspace, pipeline and destination. */
export const VERSION_5 = `${ABOUT}${LISTS}${ACCESSES}`;
