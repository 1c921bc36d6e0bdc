import { LoadGenerator, type LoadOptions } from './load-generator';

/** Runs a load in a process of its own, so that its CPU is not counted: receives options, sends the result. */
process.once('message', (options: LoadOptions) => {
  new LoadGenerator(options).run().then(
    (result) => process.send?.(result, () => process.disconnect()),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});
