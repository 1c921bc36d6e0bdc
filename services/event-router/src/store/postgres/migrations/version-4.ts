/** How far the outcomes of each partition are on the log: all up to this commit. Without a row: none that is known of. */
export const VERSION_4 = `
CREATE TABLE penstock_router.relayed (
  partition       integer PRIMARY KEY,
  epoch           bigint NOT NULL,
  sequence        bigint NOT NULL,
  day             integer NOT NULL
) WITH (fillfactor = 50);
`;
