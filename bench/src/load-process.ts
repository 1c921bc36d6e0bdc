import { LoadGenerator, type LoadOptions } from './load-generator';

/** A process of its own, so that its CPU is not the server's: options in, result out. */
process.once('message', (options: LoadOptions) => {
  new LoadGenerator(options).run().then(
    (result) => process.send?.(result, () => process.disconnect()),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});
