import { FileFault } from '@penstock/files';
import { codePointLength } from '@penstock/schema';

const MAX_PATH_LENGTH = 1_024;

/** Control characters, and surrogates without their partners. */
const UNUSABLE = /[\p{Cc}\p{Cs}]/u;

const fault = (message: string): FileFault => new FileFault('InvalidPath', message);

/**
 * Checks what holds for the paths of all storages: 1 to 1,024 characters, no placeholder, no control character.
 *
 * @throws FileFault InvalidPath, InvalidPlaceholder
 */
export const checkPathText = (path: string): void => {
  const length = codePointLength(path);
  if (length < 1 || length > MAX_PATH_LENGTH)
    throw fault(`must be 1 to ${String(MAX_PATH_LENGTH)} characters long`);
  if (UNUSABLE.test(path)) throw fault('must not hold control characters or half a character');
  const placeholder = /\$\{[^}]*\}?/.exec(path)?.[0];
  if (placeholder !== undefined)
    throw new FileFault('InvalidPlaceholder', `the path of a source has no ${placeholder}`);
};

/**
 * The steps of a path that {@link checkPathText} accepts; none is `.` or `..`, and the last one is a name.
 *
 * @throws FileFault InvalidPath, InvalidPlaceholder
 */
export const stepsOf = (path: string): readonly string[] => {
  checkPathText(path);
  const steps = path.split('/');
  if (steps.some((step) => step === '.' || step === '..'))
    throw fault('must not have the steps . and ..');
  if (steps.at(-1) === '') throw fault('must end with the name of a file');
  return steps;
};

/**
 * {@link stepsOf} a path in folders: a slash at the beginning is left out, and every step has a name.
 *
 * @throws FileFault InvalidPath, InvalidPlaceholder
 */
export const folderStepsOf = (path: string): readonly string[] => {
  const steps = stepsOf(path.replace(/^\//, ''));
  if (steps.includes('')) throw fault('must not have empty steps');
  return steps;
};
