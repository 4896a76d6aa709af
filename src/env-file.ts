/** Adds the variables of `.env` in the working directory to the environment; those already set win. */
export function readEnvFile (): void {
  try {
    process.loadEnvFile()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
