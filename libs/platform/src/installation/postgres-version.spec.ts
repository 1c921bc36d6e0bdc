import { checkPostgresVersion } from './postgres-version';

const check = (number: number, name: string): Promise<void> =>
  checkPostgresVersion({
    query: () => Promise.resolve({ rows: [{ number, name }] }),
  } as unknown as Parameters<typeof checkPostgresVersion>[0]);

it('takes the least version, and later ones', async () => {
  await check(140_000, '14.0');
  await check(180_004, '18.4');
});

it('refuses an earlier one in one line, with what was found and what is needed', async () => {
  await expect(check(130_022, '13.22 (Debian 13.22-1)')).rejects.toThrow(
    'the server of DATABASE_URL is PostgreSQL 13.22 (Debian 13.22-1): version 14 or later is needed: upgrade it, or set DATABASE_URL to a newer one',
  );
});
