const { writeFileSync } = require('node:fs');

let starts = 0;

/** Starts nothing, and says how often it has been asked to. Its end makes the file that the options name. */
exports.startCounted = async ({ endsIn }) => {
  starts += 1;
  return { starts, stop: async () => endsIn && writeFileSync(endsIn, '') };
};

/** Does not start. */
exports.failToStart = async () => {
  starts += 1;
  throw new Error(`start ${starts} has failed`);
};
