const { join } = require('node:path');
const { projects } = require('../../../jest.config.js');
const mutants = require('./mutants.cjs');

const root = join(__dirname, '../../..');
const unit = projects.find(({ displayName }) => displayName === 'unit');
/** Names of those that are tried. */
const chosen = new Set(JSON.parse(process.env.MUTANTS));
/** A run without a mutant: if that failed, every mutant would seem to be caught. */
const unbroken = { name: 'nothing is broken', file: '', from: '', to: '' };

/** A project for each mutant: the model of the router, or the spec that the mutant names. */
module.exports = {
  rootDir: root,
  reporters: [join(__dirname, 'reporter.cjs')],
  projects: [unbroken, ...mutants]
    .filter((each) => each === unbroken || chosen.has(each.name))
    .map((mutant) => ({
      ...unit,
      displayName: mutant.name,
      roots: ['<rootDir>/services/event-router/src', '<rootDir>/libs'],
      testMatch: [
        `<rootDir>/${mutant.spec ?? 'services/event-router/src/testing/model/caught.mutant.ts'}`,
      ],
      testPathIgnorePatterns: [],
      transform: { '^.+\\.ts$': [join(__dirname, 'transformer.cjs'), { mutant }] },
    })),
};
