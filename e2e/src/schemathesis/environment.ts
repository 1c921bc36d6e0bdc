import { installPythonPackages } from '@penstock/test-servers';
import { join } from 'node:path';

/** Versions and hashes of all packages. */
const REQUIREMENTS = join(__dirname, 'requirements.txt');

/**
 * Installs Schemathesis below `.cache`, if it is not there.
 *
 * @returns the path of the program.
 * @throws Error when there is no Python, or the installation fails.
 */
export const installSchemathesis = async (): Promise<string> =>
  join(await installPythonPackages('schemathesis', REQUIREMENTS), 'schemathesis');
