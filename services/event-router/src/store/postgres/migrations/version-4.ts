/** The commit of each partition up to which its outcomes were relayed to the log. No row: none is known to be. */
export const VERSION_4 = `
CREATE TABLE penstock_router.relayed (
  partition       integer PRIMARY KEY,
  epoch           bigint NOT NULL,
  sequence        bigint NOT NULL,
  day             integer NOT NULL
) WITH (fillfactor = 50);
`;
