import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Facts that each run has. The history of an object leaves them out: of one that runs every minute, they are nearly all.
 */
const OF_RUNS = ['RunRequested', 'RunCancelRequested', 'RunEnded'];

const INDEXES = {
  facts_type: '(owner, type, position)',
  facts_actor: '(owner, actor, position)',
  facts_history: `(substr(stream, strpos(stream, '-') + 1), position)
    WHERE type NOT IN ('${OF_RUNS.join(`', '`)}')`,
};

/** Adds the indexes by which the audit finds facts of a type or by an actor, and the history of an object. */
export class IndexAuditSearch1700000000083 implements MigrationInterface {
  readonly name = 'IndexAuditSearch1700000000083';

  async up(db: QueryRunner): Promise<void> {
    for (const [name, columns] of Object.entries(INDEXES))
      await db.query(`CREATE INDEX ${name} ON penstock.facts ${columns}`);
  }

  async down(db: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await db.query(`DROP INDEX penstock.${name}`);
  }
}
