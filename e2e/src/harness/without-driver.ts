/** A module that finds no driver of Snowflake, whether it is installed or not. */
const HIDING = `
import Module from 'node:module';
const resolve = Module._resolveFilename;
Module._resolveFilename = (request, ...rest) => {
  if (request !== 'snowflake-sdk') return resolve(request, ...rest);
  throw Object.assign(new Error('Cannot find module'), { code: 'MODULE_NOT_FOUND' });
};`;

/** Variables of a process without the driver of Snowflake: whoever connects reaches nobody. */
export const WITHOUT_DRIVER = {
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(HIDING)}`,
} as const;
