import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the view of schedules and live runs. */
export class CreateRunControls1700000000070 implements MigrationInterface {
  readonly name = 'CreateRunControls1700000000070';

  async up(db: QueryRunner): Promise<void> {
    await db.query(
      `CREATE TABLE penstock.run_controls (id text COLLATE "C" PRIMARY KEY, workspace text COLLATE "C" NOT NULL,
         live text COLLATE "C", due text COLLATE "C", state json NOT NULL)`,
    );
    await db.query(
      'CREATE INDEX run_controls_due ON penstock.run_controls (due) WHERE due IS NOT NULL',
    );
    await db.query(
      'CREATE INDEX run_controls_live ON penstock.run_controls (workspace) WHERE live IS NOT NULL',
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE penstock.run_controls');
  }
}
