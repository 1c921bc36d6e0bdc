/**
 * A fault that a test must notice.
 *
 * @param file relative to `src` of the project. `from` occurs exactly once in it, and is replaced by `to`.
 * @param spec the spec file that must fail then, relative to `src`.
 * @param test a part of the titles of those tests that are run; without it, all of the spec file, up to the first failure.
 */
exports.mutant = (name, file, from, to, spec, test = '') => ({ name, file, from, to, spec, test });
