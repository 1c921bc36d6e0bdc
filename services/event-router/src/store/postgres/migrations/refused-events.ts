/** Events that were refused at intake, or came with another body under a known message id; the newest of each source. */
export const REFUSED_EVENTS = `
CREATE TABLE penstock_router.refused_events (
  source          text COLLATE "C" NOT NULL,
  id              text COLLATE "C" NOT NULL,
  workspace       text COLLATE "C" NOT NULL,
  at              timestamptz(3) NOT NULL,
  "index"         integer,
  message_id      text,
  code            text NOT NULL,
  path            text NOT NULL,
  reason          text NOT NULL,
  users           text[] NOT NULL,
  sealed          text,
  is_cut          boolean NOT NULL,
  count           integer NOT NULL,
  PRIMARY KEY (source, id)
);
CREATE INDEX refused_events_newest ON penstock_router.refused_events (source, at, id);
CREATE INDEX refused_events_at ON penstock_router.refused_events (at);
CREATE INDEX refused_events_of_users ON penstock_router.refused_events (source, id) WHERE users <> '{}';
`;
