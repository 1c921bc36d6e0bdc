import type { SnowflakeSession } from '@penstock/databases';

/** A part of a repair, which is planned before anything is changed, and may be done twice. */
export interface Step {
  /** Of what is made, changed or dropped. */
  readonly name: string;
  readonly run: (session: SnowflakeSession) => Promise<void>;
}

/** A step of statements. */
export const statements = (name: string, ...texts: readonly string[]): Step => ({
  name,
  run: async (session) => {
    for (const text of texts) await session.rows(text);
  },
});
