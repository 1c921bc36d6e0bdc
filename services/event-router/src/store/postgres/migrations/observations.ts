/** How well destinations and pipelines work, as each router has observed it. */
export const OBSERVATIONS = `
CREATE TABLE penstock_router.observations (
  member          text COLLATE "C" NOT NULL,
  subject         text COLLATE "C" NOT NULL,
  id              text COLLATE "C" NOT NULL,
  code            text NOT NULL,
  since_ms        float8 NOT NULL,
  PRIMARY KEY (member, subject, id)
);
`;
