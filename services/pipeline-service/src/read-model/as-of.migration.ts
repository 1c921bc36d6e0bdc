import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the indexes for finding the pipelines and the sources that a connection had. */
export class CreateAsOf1700000000051 implements MigrationInterface {
  readonly name = 'CreateAsOf1700000000051';

  async up(db: QueryRunner): Promise<void> {
    await db.query(
      `CREATE INDEX facts_pipelines ON penstock.facts ((data->>'connection'), position) WHERE type = 'PipelineCreated'`,
    );
    await db.query(
      `CREATE INDEX facts_links ON penstock.facts ((data->>'destination'), position) WHERE type = 'ConnectionLinked'`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    for (const index of ['facts_pipelines', 'facts_links'])
      await db.query(`DROP INDEX penstock.${index}`);
  }
}
