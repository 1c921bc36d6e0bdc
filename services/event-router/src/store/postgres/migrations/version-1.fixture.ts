/** The statements with which a router of version 1 created its tables at every start. */
export const PREPARE_1 = `
CREATE SCHEMA IF NOT EXISTS penstock_router;

CREATE TABLE IF NOT EXISTS penstock_router.partitions (
  partition       integer PRIMARY KEY,
  epoch           bigint NOT NULL DEFAULT 0,
  owner           jsonb,
  until           timestamptz NOT NULL DEFAULT '-infinity',
  settled_by      timestamptz NOT NULL DEFAULT '-infinity',
  next            bigint NOT NULL DEFAULT 0,
  beyond          int8multirange NOT NULL DEFAULT '{}'
);

CREATE TABLE IF NOT EXISTS penstock_router.counters (
  pipeline        text NOT NULL,
  minute          integer NOT NULL,
  state           text NOT NULL,
  step            text NOT NULL,
  code            text NOT NULL,
  partition       integer NOT NULL,
  count           bigint NOT NULL,
  PRIMARY KEY (pipeline, minute, state, step, code, partition)
);

CREATE TABLE IF NOT EXISTS penstock_router.messages (
  hash            uuid NOT NULL,
  digest          text NOT NULL,
  hour            integer NOT NULL
) PARTITION BY RANGE (hour);
CREATE INDEX IF NOT EXISTS messages_hash ON penstock_router.messages (hash);

CREATE TABLE IF NOT EXISTS penstock_router.bodies (
  partition       integer NOT NULL,
  "offset"        bigint NOT NULL,
  body            text NOT NULL,
  PRIMARY KEY (partition, "offset")
);

CREATE TABLE IF NOT EXISTS penstock_router.deliveries (
  partition       integer NOT NULL,
  "offset"        bigint NOT NULL,
  pipeline        text COLLATE "C" NOT NULL,
  version         integer NOT NULL,
  lane            text NOT NULL,
  order_key       text NOT NULL,
  state           text NOT NULL,
  attempts        integer NOT NULL,
  first_attempt   timestamptz NOT NULL,
  due             timestamptz NOT NULL,
  step            text,
  code            text NOT NULL,
  reason          text NOT NULL,
  changed         timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (partition, "offset", pipeline)
);
CREATE INDEX IF NOT EXISTS deliveries_waiting
  ON penstock_router.deliveries (partition, lane, order_key, "offset", pipeline) WHERE state = 'Waiting';
CREATE INDEX IF NOT EXISTS deliveries_ended
  ON penstock_router.deliveries (changed) WHERE state <> 'Waiting';
`;

/** The tables of message ids that such a router creates, one per hour. */
export const hoursOf1 = (hour: number): string =>
  [hour, hour + 1, hour + 2]
    .map(
      (each) => `
CREATE TABLE IF NOT EXISTS penstock_router.messages_${each}
  PARTITION OF penstock_router.messages FOR VALUES FROM (${each}) TO (${each + 1});`,
    )
    .join('');

/** The first statement of its commits, and the last one for a dead letter. */
export const COMMIT_1 = {
  move: `UPDATE penstock_router.partitions p SET next = c.next, beyond = c.beyond
           FROM unnest($1::int[], $2::bigint[], $3::bigint[], $4::int8multirange[])
                  AS c (partition, epoch, next, beyond)
          WHERE p.partition = c.partition AND p.epoch = c.epoch
          RETURNING p.partition`,
  store: `INSERT INTO penstock_router.deliveries
            (partition, "offset", pipeline, version, lane, order_key, state, attempts, first_attempt, due, step, code, reason)
          VALUES ($1, $2, $3, 1, 'connection000a', 'source/user', 'Rejected', 1, now(), now(), 'Finalize', '404', 'not found')`,
};

/** The statements with which it acquires, renews and releases leases. */
export const LEASES_1 = [
  `SELECT partition, owner, settled_by < now() AS free FROM penstock_router.partitions
    WHERE partition = ANY('{0}') ORDER BY partition FOR UPDATE`,
  `UPDATE penstock_router.partitions p
      SET until = now() + interval '10 seconds', settled_by = now() + interval '70 seconds'
    WHERE p.partition = 0 AND p.epoch = 5`,
  'UPDATE penstock_router.partitions p SET owner = NULL WHERE p.partition = 0 AND p.epoch = 5',
];

const body = (name: string): string => `{"event":"${name}"}`;

/**
 * An installation that was stopped orderly. Partition 0 has finished [0, 40), [41, 43) and [50, 51). Three deliveries
 * wait: one of an event below 40, one of the event at 41, and one of the event at 40, which is not finished because of
 * another delivery. Partition 1 has finished everything that it has read.
 */
export const HEALTHY_1 = `
INSERT INTO penstock_router.partitions (partition, epoch, next, beyond)
VALUES (0, 5, 40, '{[41,43),[50,51)}'), (1, 3, 12, '{}');

INSERT INTO penstock_router.counters (pipeline, minute, state, step, code, partition, count)
VALUES ('pipeline00000a', 28333333, 'Delivered', 'Finalize', '', 0, 30),
       ('pipeline00000a', 28333333, 'Rejected', 'Finalize', '404', 0, 1),
       ('pipeline00000a', 28333333, 'Filtered', 'Filter', '', 0, 9),
       ('pipeline00000b', 28333334, 'Delivered', 'Finalize', '', 1, 12),
       ('pipeline00000b', 28333334, 'Filtered', 'Filter', 'OptedOut', 1, 2);

INSERT INTO penstock_router.bodies (partition, "offset", body)
VALUES (0, 7, '${body('dead')}'), (0, 30, '${body('waits')}'), (0, 40, '${body('ahead')}'), (0, 41, '${body('beyond')}');

INSERT INTO penstock_router.deliveries
  (partition, "offset", pipeline, version, lane, order_key, state, attempts, first_attempt, due, step, code, reason, changed)
VALUES (0, 7, 'pipeline00000a', 1, 'connection000a', 'source/user', 'Rejected', 1, '2023-11-14T22:13:20Z',
        '2023-11-14T22:13:20Z', 'Finalize', '404', 'not found', '2023-11-14T22:13:20Z'),
       (0, 30, 'pipeline00000a', 2, 'connection000a', 'source/user', 'Waiting', 3, '2023-11-14T22:13:20Z',
        '2023-11-14T22:15:20Z', NULL, '', 'refused', '2023-11-14T22:14:20Z'),
       (0, 40, 'pipeline00000a', 2, 'connection000a', 'source/user', 'Waiting', 0, '1970-01-01T00:00:00Z',
        '2023-11-14T22:15:20Z', NULL, '', '', '2023-11-14T22:14:20Z'),
       (0, 41, 'pipeline00000b', 1, 'connection000b', 'source/other', 'Waiting', 1, '2023-11-14T22:13:20Z',
        '2023-11-14T22:15:20Z', NULL, '', 'refused', '2023-11-14T22:14:20Z');
`;

/**
 * A blocked installation: of the event at 7 the delivery of the first pipeline was rejected, and its row committed,
 * while the one of the second was open. Since a restart the event is routed to both again, and every commit fails
 * because of the row's primary key.
 */
export const WEDGED_1 = `
INSERT INTO penstock_router.partitions (partition, epoch, owner, until, settled_by, next, beyond)
VALUES (0, 5, '{"host":"another","boot":"b n","pid":7,"started":"1"}', now() + interval '5 seconds',
        now() + interval '65 seconds', 7, '{}');

INSERT INTO penstock_router.counters (pipeline, minute, state, step, code, partition, count)
VALUES ('pipeline00000a', 28333333, 'Rejected', 'Finalize', '404', 0, 1),
       ('pipeline00000a', 28333333, 'Delivered', 'Finalize', '', 0, 7),
       ('pipeline00000b', 28333333, 'Delivered', 'Finalize', '', 0, 7);

INSERT INTO penstock_router.bodies (partition, "offset", body) VALUES (0, 7, '${body('half')}');
INSERT INTO penstock_router.deliveries
  (partition, "offset", pipeline, version, lane, order_key, state, attempts, first_attempt, due, step, code, reason, changed)
VALUES (0, 7, 'pipeline00000a', 1, 'connection000a', 'source/user', 'Rejected', 1, '2023-11-14T22:13:20Z',
        '2023-11-14T22:13:20Z', 'Finalize', '404', 'not found', '2023-11-14T22:13:20Z');
`;
