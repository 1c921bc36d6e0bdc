import { sep } from 'node:path';
import { FileFault } from '@penstock/files';

/**
 * Checks a path without symbolic links against a root without any.
 *
 * @throws FileFault InvalidPath unless it is the root, or lies below it.
 */
export const checkBelow = (path: string, root: string): void => {
  if (path !== root && !path.startsWith(root.endsWith(sep) ? root : root + sep))
    throw new FileFault('InvalidPath', 'leads out of the root of the storage');
};
