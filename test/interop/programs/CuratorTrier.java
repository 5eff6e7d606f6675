import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.retry.RetryOneTime;

/** Tries to acquire locks of any kind that a test names, one at a time and without waiting, and prints how that ends. */
public final class CuratorTrier {
    private CuratorTrier() {}

    public static void main(String[] args) throws Exception {
        CuratorFramework client = CuratorFrameworkFactory.newClient(args[0], 20_000, 15_000, new RetryOneTime(1_000));
        client.start();
        client.blockUntilConnected();
        System.out.println("ready");
        AutoCloseable held = null;
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.split(" ", 3);
            if (words[0].equals("release")) {
                held.close();
                System.out.println("released");
                continue;
            }
            try {
                held = tried(client, words[1], words[2]);
                System.out.println("tried " + (held == null ? "busy" : "acquired"));
            } catch (Exception failure) {
                System.out.println("tried failed: " + failure.getMessage());
            }
        }
        Runtime.getRuntime().halt(0);
    }

    /** Null if the lock is busy. */
    private static AutoCloseable tried(CuratorFramework client, String kind, String path) throws Exception {
        if (kind.equals("semaphore")) {
            InterProcessSemaphoreV2 semaphore = new InterProcessSemaphoreV2(client, path, 2);
            Lease lease = semaphore.acquire(0, TimeUnit.MILLISECONDS);
            return lease == null ? null : () -> semaphore.returnLease(lease);
        }
        InterProcessReadWriteLock pair = new InterProcessReadWriteLock(client, path);
        InterProcessLock lock = kind.equals("mutex")
                ? new InterProcessMutex(client, path)
                : kind.equals("read") ? pair.readLock() : pair.writeLock();
        return lock.acquire(0, TimeUnit.MILLISECONDS) ? lock::release : null;
    }
}
