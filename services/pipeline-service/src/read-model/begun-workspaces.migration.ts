import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the table of workspaces whose warehouse is being initialised, and that are not recorded yet. */
export class CreateBegunWorkspaces1700000000084 implements MigrationInterface {
  readonly name = 'CreateBegunWorkspaces1700000000084';

  async up(db: QueryRunner): Promise<void> {
    await db.query(
      `CREATE TABLE penstock.begun_workspaces (id text PRIMARY KEY, organization text NOT NULL,
         command_id text NOT NULL, begun_at timestamptz NOT NULL DEFAULT now(),
         given_up boolean NOT NULL DEFAULT false)`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE penstock.begun_workspaces');
  }
}
