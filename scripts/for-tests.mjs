/** Kinds of files that jest compiles itself, by the ends of their names. */
const KINDS = 'spec|fixtures?|contract|conformance';

/** Sources that are not compiled. */
export const SOURCE_FOR_TESTS = new RegExp(`\\.(${KINDS})\\.ts$`);

/** Compiled code that only tests use, left-overs of earlier versions included. */
export const COMPILED_FOR_TESTS = new RegExp(`\\.(${KINDS}|mutant)\\.js$|(^|/)(testing|contract)/`);
