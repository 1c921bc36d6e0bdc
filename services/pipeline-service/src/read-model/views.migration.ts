import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the views. */
export class CreateViews1700000000001 implements MigrationInterface {
  readonly name = 'CreateViews1700000000001';

  async up(db: QueryRunner): Promise<void> {
    await db.query(
      'CREATE TABLE penstock.connections (id text COLLATE "C" PRIMARY KEY, workspace text NOT NULL, state json NOT NULL)',
    );
    await db.query('CREATE INDEX connections_workspace ON penstock.connections (workspace, id)');
    await db.query(
      'CREATE TABLE penstock.links (source text, destination text, PRIMARY KEY (source, destination))',
    );
    await db.query('CREATE INDEX links_destination ON penstock.links (destination)');
    await db.query(
      `CREATE TABLE penstock.pipelines (id text COLLATE "C" PRIMARY KEY, workspace text NOT NULL,
         connection text NOT NULL, enabled boolean NOT NULL, state json NOT NULL)`,
    );
    await db.query('CREATE INDEX pipelines_connection ON penstock.pipelines (connection, id)');
    await db.query('CREATE INDEX pipelines_workspace ON penstock.pipelines (workspace, id)');
  }

  async down(db: QueryRunner): Promise<void> {
    for (const table of ['pipelines', 'links', 'connections'])
      await db.query(`DROP TABLE penstock.${table}`);
  }
}
