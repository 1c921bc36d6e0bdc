import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the view of live and waiting resolutions. */
export class CreateResolutions1700000000081 implements MigrationInterface {
  readonly name = 'CreateResolutions1700000000081';

  async up(db: QueryRunner): Promise<void> {
    await db.query(
      `CREATE TABLE penstock.resolutions (id text COLLATE "C" PRIMARY KEY, live text COLLATE "C",
         waiting boolean NOT NULL, state json NOT NULL)`,
    );
    await db.query(
      'CREATE INDEX resolutions_waiting ON penstock.resolutions (id) WHERE live IS NULL AND waiting',
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE penstock.resolutions');
  }
}
